// Applies a JSON merge patch: what is given replaces, null removes, lists are replaced whole. Source: RFC 7386.
import type { JsonObject, JsonValue } from "@orch/schema";

/** @returns a new value; parts that the patch does not touch are those of `target`, which stays as it is */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value === null) delete result[key];
    // A member of this name would be taken for the object's prototype.
    else if (key !== "__proto__") result[key] = applyMergePatch(own(result, key), value);
  }
  return result;
}

const own = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
