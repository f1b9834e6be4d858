// Compares two JSON values: numbers by value, objects regardless of the order of their members.
import type { JsonObject, JsonValue } from "@orch/schema";

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
