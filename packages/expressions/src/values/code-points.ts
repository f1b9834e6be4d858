// Strings count in code points in the language, and in UTF-16 units here.

const SURROGATE = /[\ud800-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

export function codePointCount(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  return text.length - (text.match(PAIR)?.length ?? 0);
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
