// Formats points in time as RFC 3339 in UTC.

let second = Number.NaN;
let secondText = "";

/** Formats with six decimals. @param ms since 1970, with fractions */
export function microTime(ms: number): string {
  const micros = Math.floor(ms * 1000);
  const of = Math.floor(micros / 1_000_000);
  if (of !== second) {
    second = of;
    secondText = new Date(of * 1000).toISOString().slice(0, 20);
  }
  const rest = micros - of * 1_000_000;
  const thousands = Math.floor(rest / 1000);
  return `${secondText}${THREE_DIGITS[thousands]}${THREE_DIGITS[rest - thousands * 1000]}Z`;
}

export const secondTime = (ms: number): string => `${microTime(ms).slice(0, 19)}Z`;

/** Formats without trailing zeros. */
export const shortTime = (ms: number): string => microTime(ms).replace(/\.?0*Z$/, "Z");

/** Table of three-digit texts: formatting a number that is not cached is slow. */
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"));
