// A deep copy of a JSON value: several times cheaper than structuredClone, which must expect anything.

import type { JsonObject, JsonValue } from "@orch/schema";

export function copyJson(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key in object) copy[key] = copyValue(object[key] as JsonValue);
  return copy;
}

function copyValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(copyValue) : copyJson(value);
}
