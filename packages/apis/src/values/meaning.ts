// Returns one text for all equal values (see same-value.ts), to find a value among many without comparing it with each.
import { type JsonObject, type JsonValue, writeJson } from "@orch/schema";

export const meaningOf = (value: JsonValue | undefined): string => writeJson(meaning(value ?? null));

function meaning(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(meaning);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, meaning((value as JsonObject)[name] as JsonValue)] as const)
      .filter(([, each]) => each !== null),
  );
}
