// Spans of time as tables tell them: the larger the coarser. Source: facts, columns.json notes, DURATION and AGE.
import type { JsonValue } from "@orch/schema";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  /** In seconds: the step is for spans below it. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  /** The unit of a rest that is told too, when there is one. */
  readonly rest?: { readonly unit: number; readonly letter: string };
}

const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: 1, letter: "s" },
  { below: 10 * MINUTE, unit: MINUTE, letter: "m", rest: { unit: 1, letter: "s" } },
  { below: 3 * HOUR, unit: MINUTE, letter: "m" },
  { below: 8 * HOUR, unit: HOUR, letter: "h", rest: { unit: MINUTE, letter: "m" } },
  { below: 2 * DAY, unit: HOUR, letter: "h" },
  { below: 8 * DAY, unit: DAY, letter: "d", rest: { unit: HOUR, letter: "h" } },
  { below: 2 * YEAR, unit: DAY, letter: "d" },
  { below: 8 * YEAR, unit: YEAR, letter: "y", rest: { unit: DAY, letter: "d" } },
  { below: Number.POSITIVE_INFINITY, unit: YEAR, letter: "y" },
];

/** @param spanMs milliseconds; clocks that differ may make it a little negative */
export function spanText(spanMs: number): string {
  const seconds = Math.trunc(spanMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  for (const { below, unit, letter, rest } of STEPS) {
    if (seconds >= below) continue;
    const whole = `${Math.floor(seconds / unit)}${letter}`;
    const left = rest === undefined ? 0 : Math.floor((seconds % unit) / rest.unit);
    return left === 0 || rest === undefined ? whole : `${whole}${left}${rest.letter}`;
  }
  return "<unknown>";
}

/** @param since RFC 3339; anything else, such as null, is no time */
export function ageText(since: JsonValue | undefined, nowMs: number): string {
  return ageTextOf(timeMs(since), nowMs);
}

/** @param sinceMs NaN: no time */
export const ageTextOf = (sinceMs: number, nowMs: number): string =>
  Number.isNaN(sinceMs) ? "<unknown>" : spanText(nowMs - sinceMs);

/** Milliseconds; NaN for what is no time. */
export const timeMs = (time: JsonValue | undefined): number =>
  typeof time === "string" ? Date.parse(time) : Number.NaN;
