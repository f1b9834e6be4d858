// Rules use the hub version of a resource, and the write path converts objects to it. Readers of stored objects convert
// first when a release stores another version; other resources pay nothing. Source: Kubernetes documentation,
// "Kubernetes Deprecation Policy", rules 2 and 4b.
import { copyJson, type ResourceDefinition, type ServedVersion, type TableColumn } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Parts of a definition that read stored objects. */
type Readings = Pick<ResourceDefinition, "selectableFields" | "columns" | "rowConditions">;

type Read = (object: JsonObject) => JsonObject;

/** Adapts readers of the hub version to objects in the storage version. */
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

/** Caches the last conversion, because one object is often read several times in a row. */
function reading(toHub: Read): Read {
  let last: { readonly object: JsonObject; readonly hub: JsonObject } | undefined;
  return (object) => {
    if (last?.object !== object) last = { object, hub: toHub(copyJson(object)) };
    return last.hub;
  };
}
