// Rules speak of one shape of a resource, the hub's, and the write path hands it to them. What is read off stored objects is brought
// there first where a release stores another shape: only then, so that most resources pay nothing.
// Source: resource-api, "Deprecation rules" 2, 4b.
import { copyJson, type ResourceDefinition, type ServedVersion, type TableColumn } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** What of a definition reads stored objects. */
type Readings = Pick<ResourceDefinition, "selectableFields" | "columns" | "rowConditions">;

type Read = (object: JsonObject) => JsonObject;

/** Readings of objects in the storage version, from those of objects in the shape in which rules see them. */
export function fromStored(readings: Readings, { toHub }: ServedVersion): Readings {
  if (toHub === undefined) return readings;
  const read = reading(toHub);
  const { columns, rowConditions } = readings;
  return {
    selectableFields: Object.fromEntries(
      Object.entries(readings.selectableFields).map(([label, field]) => [label, { ...field, through: read }]),
    ),
    ...(columns && { columns: columns.map((each) => columnFrom(each, read)) }),
    ...(rowConditions && { rowConditions: (object: JsonObject) => rowConditions(read(object)) }),
  };
}

function columnFrom(column: TableColumn, read: Read): TableColumn {
  const { cell, since } = column;
  return {
    ...column,
    cell: (object, at) => cell(read(object), at),
    ...(since && { since: (object) => since(read(object)) }),
  };
}

/** One object is often read several times in a row. */
function reading(toHub: Read): Read {
  let last: { readonly object: JsonObject; readonly hub: JsonObject } | undefined;
  return (object) => {
    if (last?.object !== object) last = { object, hub: toHub(copyJson(object)) };
    return last.hub;
  };
}
