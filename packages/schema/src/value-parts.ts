// Counts the parts of a value up to a limit.
import type { JsonObject, JsonValue } from "./json";

/**
 * Reports whether a value has more parts than `characters`, so that its text must be longer: cheaper than writing the
 * text.
 */
export const isLargerThan = (value: JsonValue, characters: number): boolean => partsLeft(value, characters) < 0;

/** Returns the number of parts, at most `max`. */
export const partsUpTo = (value: JsonValue, max: number): number => max - Math.max(0, partsLeft(value, max));

function partsLeft(value: JsonValue, parts: number): number {
  let left = parts - 1;
  if (typeof value !== "object" || value === null) return left;
  for (const name in value) {
    if (left < 0) break;
    left = partsLeft((value as JsonObject)[name] as JsonValue, left);
  }
  return left;
}
