// Durations in the form of `kubectl get`: the largest unit, and the next one where it is significant. Source:
// staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go.
import { parseTime } from "@orch/schema";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * Formats a duration: `90s`, `5m30s`, `3h`, `4d2h`, `2y1d`. A duration of minus two seconds or less, which results from
 * clock skew, is `<invalid>`.
 * @param durationMs NaN is `<invalid>`
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (!(seconds >= -1)) return "<invalid>";
  if (seconds <= 0) return "0s";
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return inTwoUnits(seconds, [MINUTE, "m"], [1, "s"]);
  if (seconds < 3 * HOUR) return inOneUnit(seconds, [MINUTE, "m"]);
  if (seconds < 8 * HOUR) return inTwoUnits(seconds, [HOUR, "h"], [MINUTE, "m"]);
  if (seconds < 2 * DAY) return inOneUnit(seconds, [HOUR, "h"]);
  if (seconds < 8 * DAY) return inTwoUnits(seconds, [DAY, "d"], [HOUR, "h"]);
  if (seconds < 2 * YEAR) return inOneUnit(seconds, [DAY, "d"]);
  if (seconds < 8 * YEAR) return inTwoUnits(seconds, [YEAR, "y"], [DAY, "d"]);
  return inOneUnit(seconds, [YEAR, "y"]);
}

/** Length of a unit in seconds, and its letter. */
type Unit = readonly [seconds: number, letter: string];

const inOneUnit = (seconds: number, [length, letter]: Unit): string => `${Math.floor(seconds / length)}${letter}`;

function inTwoUnits(seconds: number, unit: Unit, lesser: Unit): string {
  const rest = Math.floor((seconds % unit[0]) / lesser[0]);
  return rest === 0 ? inOneUnit(seconds, unit) : `${inOneUnit(seconds, unit)}${rest}${lesser[1]}`;
}

/**
 * Returns the time since a timestamp.
 * @param time RFC 3339; `<unknown>` when absent, `<invalid>` for other text
 */
export function ageText(time: string | null | undefined, nowMs: number): string {
  return time === undefined || time === null || time === "" ? "<unknown>" : humanDuration(nowMs - timestampMs(time));
}

/**
 * Parses a timestamp to milliseconds since the Unix epoch; NaN when invalid. Has a fast path for the stored form, whole
 * seconds in UTC, because a table reads thousands of them.
 */
export function timestampMs(time: string): number {
  if (time.length !== STORED_LENGTH || time.charCodeAt(STORED_LENGTH - 1) !== LETTER_Z) return parseTime(time) ?? NaN;
  return Date.UTC(
    twoDigits(time, 0) * 100 + twoDigits(time, 2),
    twoDigits(time, 5) - 1,
    twoDigits(time, 8),
    twoDigits(time, 11),
    twoDigits(time, 14),
    twoDigits(time, 17),
  );
}

const STORED_LENGTH = "2006-01-02T15:04:05Z".length;
const LETTER_Z = 90;
const DIGIT_0 = 48;

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - DIGIT_0;
  const ones = text.charCodeAt(at + 1) - DIGIT_0;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}
