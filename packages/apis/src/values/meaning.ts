// One text for all values that mean the same (see same-value.ts): to find a value among many without comparing it with each.
import { type JsonObject, type JsonValue, writeJson } from "@orch/schema";

export const meaningOf = (value: JsonValue | undefined): string => writeJson(meaning(value ?? null));

/** Whether a value is made of more parts than a text has characters, and can mean none of that length: cheaper to tell than its text. */
export const isLargerThan = (value: JsonValue, characters: number): boolean => partsLeft(value, characters) < 0;

function partsLeft(value: JsonValue, parts: number): number {
  let left = parts - 1;
  if (typeof value !== "object" || value === null) return left;
  for (const name in value) {
    if (left < 0) break;
    left = partsLeft((value as JsonObject)[name] as JsonValue, left);
  }
  return left;
}

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
