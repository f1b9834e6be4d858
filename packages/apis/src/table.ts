// What tables show of a resource, read from what a release stores.
import { copyJson, type ResourceDefinition, type TableColumn } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type BuiltInResource, type BuiltInVersion, conversionOf } from "./built-in-resource";

export function tableOf(
  { columns, rowConditions, versions }: BuiltInResource,
  stored: BuiltInVersion,
  vocabulary: Vocabulary,
): Pick<ResourceDefinition, "columns" | "rowConditions"> {
  const toHub = stored.conversion === versions[0]?.conversion ? undefined : conversionOf(stored)?.toHub;
  const hubShape =
    toHub === undefined ? undefined : ofTheLast((object: JsonObject) => toHub(copyJson(object), vocabulary));
  const shown = typeof columns === "function" ? columns(vocabulary) : columns;
  return {
    ...(shown === undefined ? {} : { columns: hubShape === undefined ? shown : shown.map(reading(hubShape)) }),
    ...(rowConditions === undefined
      ? {}
      : { rowConditions: hubShape === undefined ? rowConditions : (object) => rowConditions(hubShape(object)) }),
  };
}

const reading =
  (hubShape: (object: JsonObject) => JsonObject) =>
  ({ cell, since, ...column }: TableColumn): TableColumn => ({
    ...column,
    cell: (object, at) => cell(hubShape(object), at),
    ...(since === undefined ? {} : { since: (object) => since(hubShape(object)) }),
  });

/** Remembers one answer: the cells of a row are asked for one after the other. */
function ofTheLast(convert: (object: JsonObject) => JsonObject): (object: JsonObject) => JsonObject {
  let last: JsonObject | undefined;
  let converted: JsonObject = {};
  return (object) => {
    if (object !== last) {
      converted = convert(object);
      last = object;
    }
    return converted;
  };
}
