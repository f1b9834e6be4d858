// Durations in the syntax of Go, as in flags, queries and messages: 1h30m0s, 34s, 1.5s, 300ms. Values are in
// milliseconds. Source: pkg.go.dev/time, ParseDuration.

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const DURATION = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
/** Matches where the previous match ended. */
const TERM = /[-+]?(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
/** Maximum length: longer than any duration with all units and significant digits. */
const TEXT_MAX = 128;

/**
 * Parses a duration such as `1h30m`, `-1.5s` or `0`.
 * @returns milliseconds; undefined for any other text, including a number without a unit
 */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0" || text === "+0" || text === "-0") return 0;
  if (text.length > TEXT_MAX || !DURATION.test(text)) return undefined;
  let totalMs = 0;
  TERM.lastIndex = 0;
  for (let term = TERM.exec(text); term !== null; term = TERM.exec(text)) {
    totalMs += Number(term[1]) * (UNIT_MS[term[2] ?? ""] ?? 0);
  }
  return text.startsWith("-") ? -totalMs : totalMs;
}

/**
 * Formats a duration canonically: `1m0s` for 60000, `1.5s` for 1500, `300ms`, `0s`. The resolution is one nanosecond.
 */
export function formatGoDuration(durationMs: number): string {
  const sign = durationMs < 0 ? "-" : "";
  const ns = Math.round(Math.abs(durationMs) * 1e6);
  if (ns === 0) return "0s";
  if (ns < 1e3) return `${sign}${ns}ns`;
  if (ns < 1e6) return `${sign}${decimal(ns, 1e3)}µs`;
  if (ns < 1e9) return `${sign}${decimal(ns, 1e6)}ms`;
  const hours = Math.floor(ns / 3.6e12);
  const minutes = Math.floor((ns % 3.6e12) / 6e10);
  const seconds = `${decimal(ns % 6e10, 1e9)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** Formats a quotient with integer arithmetic: floating-point division would show additional digits. */
function decimal(ns: number, perUnit: number): string {
  let fraction = String(ns % perUnit).padStart(String(perUnit).length - 1, "0");
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  const whole = Math.floor(ns / perUnit);
  return fraction === "" ? String(whole) : `${whole}.${fraction}`;
}
