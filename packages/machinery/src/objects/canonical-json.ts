// Serializes JSON canonically: equal values have equal texts, regardless of the order of members.
import { type JsonValue, writeJson } from "@orch/schema";

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
