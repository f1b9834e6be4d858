// Compares values of canonical objects. Empty lists equal absent ones; the order of fields does not matter.
import type { JsonObject, JsonValue } from "@orch/schema";

export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (isNone(one) || isNone(other)) return isNone(one) && isNone(other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, index) => sameValue(each, other[index]))
    );
  }
  return sameFields(one, other);
}

function sameFields(one: JsonObject, other: JsonObject): boolean {
  for (const field in one) if (!sameValue(one[field], other[field])) return false;
  for (const field in other) if (one[field] === undefined && !isNone(other[field])) return false;
  return true;
}

const isNone = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
