// Conversion between code points, in which CEL counts strings, and UTF-16 code units.

const SURROGATE = /[\ud800-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Length below which a loop is faster than a regular expression. */
const SHORT = 32;

export function codePointCount(text: string): number {
  if (text.length < SHORT ? !hasSurrogate(text) : !SURROGATE.test(text)) return text.length;
  return text.length - (text.match(PAIR)?.length ?? 0);
}

function hasSurrogate(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if ((text.charCodeAt(index) & 0xf800) === 0xd800) return true;
  return false;
}

/** Converts a number of code points to an offset; undefined past the end. */
export function offsetOf(text: string, points: number): number | undefined {
  if (points < 0 || points > text.length) return undefined;
  if (!SURROGATE.test(text)) return points;
  let at = 0;
  for (let count = 0; count < points; count += 1) {
    const code = text.codePointAt(at);
    if (code === undefined) return undefined;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Returns the number of code points before an offset. */
export const pointsBefore = (text: string, offset: number): number =>
  SURROGATE.test(text) ? codePointCount(text.slice(0, offset)) : offset;
