// Estimates the number of values in a JSON text without parsing it, and in a parsed value up to a limit: the cost to
// decode, validate and store an object grows with its values, not with its bytes.
import type { JsonObject, JsonValue } from "./json-value";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * Counts members, items, objects and arrays: each comma, `{` and `[` outside of strings. The result is slightly above
 * the number of values, never below.
 * @param json UTF-8; invalid JSON gives some number
 * @param enough the count stops here
 */
export function countValues(json: Buffer, enough = Number.POSITIVE_INFINITY): number {
  let count = 1;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COMMA:
      case OPEN_BRACE:
      case OPEN_BRACKET:
        count += 1;
        if (count >= enough) return count;
    }
  }
  return count;
}

/** Length after which the closing quote is searched by a native call. */
const SHORT_STRING = 64;

/** Returns the position of the closing quote; the length of the text, or one more, if there is none. */
export function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const looked = at + SHORT_STRING;
    while (at < json.length && json[at] !== QUOTE && at < looked) at += json[at] === BACKSLASH ? 2 : 1;
    if (at < looked || at >= json.length) return at;
    const quote = json.indexOf(QUOTE, at);
    if (quote < 0) return json.length;
    if (!isEscaped(json, quote, at)) return quote;
    at = quote + 1;
  }
}

/** Reports whether a quote is escaped. @param from start of an unescaped character */
function isEscaped(json: Buffer, quote: number, from: number): boolean {
  let backslashes = 0;
  while (quote - backslashes > from && json[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * From this number of values on, an object takes tens of milliseconds to decode, validate and store. Nearly all objects
 * have a few dozen or hundred.
 */
export const MANY_VALUES = 2_500;
/**
 * From this length on, the strings alone take that long, because each byte is parsed, escaped and copied several times.
 * Larger than the largest ConfigMap.
 */
export const LONG_BYTES = 1280 * 1024;
/**
 * Maximum number of values of the objects that the server itself uses. They are parsed on the serving thread; larger
 * ones would block all requests.
 */
export const VALUES_READ_WHOLE = 20_000;

/** Texts below this length can hold few more values, and are not counted. */
export const FEW_VALUES_BYTES = 8 * 1024;

export const hasManyValues = (json: Buffer): boolean =>
  json.length > FEW_VALUES_BYTES && countValues(json, MANY_VALUES) >= MANY_VALUES;

/** Reports whether an object takes so long that it would block other requests. */
export const isLargeJson = (json: Buffer): boolean => json.length >= LONG_BYTES || hasManyValues(json);

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
