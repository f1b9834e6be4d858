// Durations as flags, queries and messages write them: 1h30m0s, 34s, 1.5s, 300ms. In here they are milliseconds.

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
/** At the place where the one before ended. */
const TERM = /[-+]?(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
/** More than all units with all digits that count. */
const TEXT_MAX = 128;

/**
 * Milliseconds of a duration such as `1h30m`, `-1.5s` or `0`.
 * @returns undefined for any other text, a number without unit among them
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

/** The canonical text: `1m0s` for 60000, `1.5s` for 1500, `300ms`, `0s`. Down to nanoseconds. */
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

/** Whole and fraction kept apart: a quotient in floating point would show digits that are not there. */
function decimal(ns: number, perUnit: number): string {
  let fraction = String(ns % perUnit).padStart(String(perUnit).length - 1, "0");
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  const whole = Math.floor(ns / perUnit);
  return fraction === "" ? String(whole) : `${whole}.${fraction}`;
}
