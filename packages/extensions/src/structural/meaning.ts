// Canonical texts of values, equal for equal values whatever the order of their members. They allow to find a value
// among many by a hash lookup.
import { isObject, type JsonObject, type JsonValue, memberOf, writeJson } from "@orch/schema";

export function meaningOf(value: JsonValue): string {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" && value !== null ? writeJson(ordered(value)) : String(value);
}

/** Returns the canonical text of the keys of a list item. */
export function keyText(item: JsonObject, keys: readonly string[]): string {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const value = memberOf<JsonValue>(item, only);
    return value === undefined ? "" : meaningOf(value);
  }
  return JSON.stringify(
    keys.map((key) => {
      const value = memberOf<JsonValue>(item, key);
      return value === undefined ? "" : meaningOf(value);
    }),
  );
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name] as JsonValue)] as const),
  );
}
