// Applies a JSON merge patch: what is given replaces, null removes, lists are replaced whole. Source: RFC 7386.
import { isObject, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";

/** @returns a new value; parts that the patch does not touch are those of `target`, which stays as it is */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value === null) delete result[key];
    else setMember(result, key, applyMergePatch(memberOf(result, key), value));
  }
  return result;
}
