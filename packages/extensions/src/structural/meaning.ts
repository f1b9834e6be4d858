// One text for all values that are equal, whatever the order of their members: to find a value among many without comparing it with each.
import { isObject, type JsonObject, type JsonValue, memberOf, writeJson } from "@orch/schema";

export function meaningOf(value: JsonValue): string {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" && value !== null ? writeJson(ordered(value)) : String(value);
}

/** One text for all items of a list that its keys do not tell apart. */
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
