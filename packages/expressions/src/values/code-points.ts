// Strings count in code points in the language, and in UTF-16 units here.

const SURROGATE = /[\ud800-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Shorter texts are looked through faster than by a pattern. */
const SHORT = 32;

export function codePointCount(text: string): number {
  if (text.length < SHORT ? !hasSurrogate(text) : !SURROGATE.test(text)) return text.length;
  return text.length - (text.match(PAIR)?.length ?? 0);
}

function hasSurrogate(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if ((text.charCodeAt(index) & 0xf800) === 0xd800) return true;
  return false;
}

/** From a number of code points to the offset behind them; undefined past the end. */
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

/** Code points in front of an offset. */
export const pointsBefore = (text: string, offset: number): number =>
  SURROGATE.test(text) ? codePointCount(text.slice(0, offset)) : offset;
