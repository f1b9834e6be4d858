// Metadata that quota evaluation reads. A keeper of tens of thousands of objects keeps neither managedFields nor
// labels.
import { metaOf } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";

const KEPT = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

export function countedMeta(object: JsonObject): JsonObject {
  const metadata = metaOf(object);
  const kept: JsonObject = {};
  for (const name of KEPT) if (metadata[name] !== undefined) kept[name] = metadata[name] as JsonValue;
  return kept;
}
