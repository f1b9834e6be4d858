// Returns a deep copy of a JSON value, several times faster than structuredClone, which handles arbitrary values.
import type { JsonObject, JsonValue } from "./json";
import { setMember } from "./json-member";

export function copyJson<Value extends JsonValue>(value: Value): Value {
  return copyValue(value) as Value;
}

function copyValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  const copy: JsonObject = {};
  for (const key in value) setMember(copy, key, copyValue(value[key] as JsonValue));
  return copy;
}
