// Numbers of the page as text.

/** Returns a number with at most one decimal, two below 1. */
export const numberText = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 1 ? 2 : 1 });

/** Returns a duration in a unit that suits it: `850 µs`, `12 ms`, `1.5 s`. */
export function secondsText(seconds: number): string {
  if (seconds >= 1) return `${numberText(seconds)} s`;
  if (seconds >= 0.001) return `${numberText(seconds * 1000)} ms`;
  return `${Math.round(seconds * 1e6)} µs`;
}

export const percentText = (share: number): string => `${numberText(share * 100)}%`;

/** The last time of ECMAScript. */
const TIME_MAX_SECONDS = 8.64e12;

/** Returns RFC 3339 for seconds since 1970. Undefined for what is no time, and for zero. */
export function timeOf(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds <= 0 || !(seconds < TIME_MAX_SECONDS)) return undefined;
  return new Date(seconds * 1000).toISOString();
}
