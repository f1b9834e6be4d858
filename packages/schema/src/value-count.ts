// How much there is in a JSON text, told without parsing it: what it costs to decode, check and store an object grows with the number
// of its values, and not with its bytes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * Counts members, items, objects and arrays: each comma, `{` and `[` outside strings. A little more than the values, never fewer.
 * @param json UTF-8; of what is no JSON something is counted, too
 * @param enough counting stops here
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

/** Beyond so many bytes the next quote is searched for at once, by what searches memory. */
const SHORT_STRING = 64;

/** @returns the position of the closing quote; the length of the text, or one more, where there is none */
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

/** @param from where a character begins that is not escaped */
function isEscaped(json: Buffer, quote: number, from: number): boolean {
  let backslashes = 0;
  while (quote - backslashes > from && json[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** From so many on, an object takes tens of milliseconds to decode, check and store; nearly all objects have a few dozen or hundred. */
export const MANY_VALUES = 2_500;
/** From so many on, its texts alone do: each byte is read, escaped and copied several times. More than the most that a ConfigMap holds. */
export const LONG_BYTES = 1280 * 1024;
/** Objects that the server itself goes by are parsed by the thread that serves; with more than these, that would hold up everybody. */
export const VALUES_READ_WHOLE = 20_000;

/** So few bytes can hold little more, and are not looked at. */
export const FEW_VALUES_BYTES = 8 * 1024;

export const hasManyValues = (json: Buffer): boolean =>
  json.length > FEW_VALUES_BYTES && countValues(json, MANY_VALUES) >= MANY_VALUES;

/** Whether an object takes so long that it would hold up everybody. */
export const isLargeJson = (json: Buffer): boolean => json.length >= LONG_BYTES || hasManyValues(json);
