// Timestamps and durations within the limits of CEL: parsing, formatting and time zones. Source:
// github.com/google/cel-spec, doc/langdef.md, "Standard Definitions".

import { parseDuration } from "@orch/schema";
import { Duration, Timestamp } from "./cel-value";
import { fail } from "./evaluation-error";

const SECOND = 1_000_000_000n;
/** Limits of timestamps: the years 1 to 9999, in nanoseconds since the Unix epoch. */
const TIMESTAMP_MIN = -62135596800n * SECOND;
const TIMESTAMP_MAX = 253402300799n * SECOND + SECOND - 1n;
const DURATION_MAX = 2n ** 63n - 1n;

export const timestamp = (nanos: bigint): Timestamp =>
  nanos >= TIMESTAMP_MIN && nanos <= TIMESTAMP_MAX ? new Timestamp(nanos) : fail("range: timestamp overflow");
export const duration = (nanos: bigint): Duration =>
  nanos >= -DURATION_MAX - 1n && nanos <= DURATION_MAX ? new Duration(nanos) : fail("range: duration overflow");

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Parses RFC 3339 with nanoseconds; undefined for invalid text. */
export function timestampOf(text: string): Timestamp | undefined {
  const match = text.length > 64 ? null : SHAPE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, hours, minutes] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse carries an invalid day over into the next month; the day then differs.
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) return undefined;
  if (sign !== undefined && (Number(hours) > 23 || Number(minutes) > 59)) return undefined;
  const offset =
    sign === undefined ? 0n : BigInt(Number(hours) * 60 + Number(minutes)) * 60n * (sign === "+" ? 1n : -1n);
  return timestamp((BigInt(ms / 1000) - offset) * SECOND + BigInt(fraction.padEnd(9, "0")));
}

export function timestampText({ nanos }: Timestamp): string {
  const seconds = floorDivision(nanos, SECOND);
  const rest = nanos - seconds * SECOND;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return rest === 0n ? `${whole}Z` : `${whole}.${`${rest}`.padStart(9, "0").replace(/0+$/, "")}Z`;
}

export function durationOf(text: string): Duration | undefined {
  const nanos = parseDuration(text);
  return nanos === undefined ? undefined : new Duration(nanos);
}

/** Formats a duration in seconds, with a fraction if needed. */
export function durationSeconds({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const rest = magnitude % SECOND;
  const fraction = rest === 0n ? "" : `.${`${rest}`.padStart(9, "0").replace(/0+$/, "")}`;
  return `${nanos < 0n ? "-" : ""}${magnitude / SECOND}${fraction}s`;
}

export const secondsOf = ({ nanos }: Timestamp): bigint => floorDivision(nanos, SECOND);

/**
 * Returns the local time of a zone in the UTC fields of a date. `zone` is a name in the time zone database or an offset
 * such as `+01:00`.
 */
export function localDate(time: Timestamp, zone: string): Date {
  const ms = Number(floorDivision(time.nanos, 1_000_000n));
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset !== null) {
    const [, sign, hours, minutes] = offset;
    return new Date(ms + (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1));
  }
  if (zone === "UTC" || zone === "" || zone === "Z") return new Date(ms);
  const parts = zoneFormat(zone).formatToParts(ms);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const local = new Date(0);
  const isBefore = parts.some((each) => each.type === "era" && each.value === "BC");
  local.setUTCFullYear(isBefore ? 1 - part("year") : part("year"), part("month") - 1, part("day"));
  local.setUTCHours(part("hour"), part("minute"), part("second"), ((ms % 1000) + 1000) % 1000);
  return local;
}

/**
 * Maximum number of cached formats. Creating a format costs more than using it. There are some hundred zones, but their
 * names can be written in many ways.
 */
const ZONES_MAX = 100;
const formats = new Map<string, Intl.DateTimeFormat>();

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
  } catch {
    return fail(`unknown time zone ${zone.slice(0, 64)}`);
  }
  if (formats.size >= ZONES_MAX) formats.clear();
  formats.set(zone, made);
  return made;
}

const floorDivision = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b));
