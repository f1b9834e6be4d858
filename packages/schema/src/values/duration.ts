// Durations in the API: decimal numbers with units, "1h30m0s", "1.5s", "250ms". Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/duration.go; Go package time, ParseDuration.

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n, // micro sign
  μs: 1_000n, // Greek letter
  ns: 1n,
};
const WHOLE = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/;
/** Matches a part where the previous one ended. */
const PART = /[+-]?(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/y;
const TEXT_MAX = 128;
const NANOS_MAX = 2n ** 63n - 1n;

/** Returns nanoseconds; undefined for an invalid text, and for more than 2^63 - 1 nanoseconds (292 years). */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > TEXT_MAX || !WHOLE.test(text)) return undefined;
  let nanos = 0n;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    const [, whole = "", fraction = "", unit = ""] = part;
    const scale = UNIT_NANOS[unit] ?? 0n;
    nanos += BigInt(whole || "0") * scale + (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > NANOS_MAX) return undefined;
  return text.startsWith("-") ? -nanos : nanos;
}

/** Returns the canonical text, as "1h30m0s" for "90m"; undefined for an invalid duration. */
export function canonicalDuration(text: string): string | undefined {
  const nanos = parseDuration(text);
  return nanos === undefined ? undefined : durationText(nanos);
}

/** Returns hours, minutes and seconds; under a second, the largest unit with a nonzero integer part. */
export function durationText(nanos: bigint): string {
  if (nanos < 0n) return `-${durationText(-nanos)}`;
  if (nanos === 0n) return "0s";
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 6)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Returns `value` divided by ten to the power of `places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  let fraction = (value % scale).toString().padStart(places, "0");
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  return fraction === "" ? `${value / scale}` : `${value / scale}.${fraction}`;
}
