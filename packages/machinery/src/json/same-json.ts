// Equality of JSON values: numbers by value, objects regardless of the order of their members.
import { type JsonObject, type JsonValue, writeJson } from "@orch/schema";

export function sameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (!Array.isArray(one)) return !Array.isArray(other) && sameMembers(one, other);
  if (!Array.isArray(other) || one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (!sameJson(one[index], other[index])) return false;
  return true;
}

function sameMembers(one: JsonObject, other: JsonObject): boolean {
  let count = 0;
  for (const key in one) {
    if (!Object.hasOwn(other, key) || !sameJson(one[key], other[key])) return false;
    count += 1;
  }
  for (const _ in other) count -= 1;
  return count === 0;
}

/** Serializes JSON canonically: equal values have equal texts, regardless of the order of members. */
export const canonicalJson = (value: JsonValue): string =>
  writeJson(typeof value === "object" ? membersSorted(value) : value);

function membersSorted(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(membersSorted);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, membersSorted(value[key] as JsonValue)]),
  );
}
