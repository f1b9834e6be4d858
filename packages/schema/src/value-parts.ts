// Of how many parts a value is made, as far as it matters: no more of it is looked at.
import type { JsonObject, JsonValue } from "./json";

/** Whether a value is made of more parts than a text has characters, and can have no text of that length: cheaper to tell than its text. */
export const isLargerThan = (value: JsonValue, characters: number): boolean => partsLeft(value, characters) < 0;

/** How many parts a value has, no more than `max` of them counted. */
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
