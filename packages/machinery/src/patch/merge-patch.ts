// Applies a JSON merge patch. Source: RFC 7386.
import { isObject, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";

/**
 * Applies a JSON merge patch.
 * @returns a new value that shares unchanged parts with `target`, which is not modified
 */
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
