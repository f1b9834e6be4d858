// Cron schedules: five fields (minute, hour, day of month, month, day of week) or a word such as `@daily`, with an
// optional prefix `TZ=<zone>`.
import { parseGoDuration } from "@orch/machinery";
import type { Rule } from "../model/rules/rule";

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly CronField[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, words: MONTHS },
  { name: "day of week", min: 0, max: 6, words: DAYS },
];

const DESCRIPTORS: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);
const EVERY = "@every ";
const ZONE = /^(?:CRON_)?TZ=(\S*) +/;

/** Checks a schedule. @returns the error; undefined for a valid schedule */
export function cronScheduleError(text: string): string | undefined {
  const zone = ZONE.exec(text);
  if (zone !== null && !isTimeZone(zone[1] ?? "")) return `unknown time zone ${zone[1]}`;
  const schedule = (zone === null ? text : text.slice(zone[0].length)).trim();
  if (schedule.startsWith("@")) {
    return DESCRIPTORS.has(schedule) || isEvery(schedule) ? undefined : `unrecognized descriptor: ${schedule}`;
  }
  const parts = schedule.split(/\s+/);
  if (schedule === "" || parts.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${schedule === "" ? 0 : parts.length}`;
  }
  for (const [position, field] of FIELDS.entries()) {
    const error = fieldError(parts[position] ?? "", field);
    if (error !== undefined) return error;
  }
  return undefined;
}

export const cronSchedule: Rule<string> = (value, at, report) => {
  const error = cronScheduleError(value);
  if (error !== undefined) report.invalid(at, value, error);
};

function isEvery(schedule: string): boolean {
  const text = schedule.slice(EVERY.length);
  // A duration needs a unit, even 0.
  return schedule.startsWith(EVERY) && UNIT_AT_END.test(text) && parseGoDuration(text) !== undefined;
}

const UNIT_AT_END = /[a-zµμ]$/;

/** Returns whether the system knows the time zone. */
export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local") return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const ITEM = /^(\*|\?|[A-Za-z0-9]+)(?:-([A-Za-z0-9]+))?(?:\/(\d+))?$/;

function fieldError(text: string, field: CronField): string | undefined {
  for (const item of text.split(",")) {
    const match = ITEM.exec(item);
    if (match === null) return `${field.name}: cannot read ${JSON.stringify(item)}`;
    const [, first = "", last, step] = match;
    if (step !== undefined && Number(step) === 0) return `${field.name}: step of range should be a positive number`;
    const isAny = first === "*" || first === "?";
    if (isAny && last === undefined) continue;
    const from = isAny ? undefined : numberOf(first, field);
    const to = last === undefined ? from : numberOf(last, field);
    if (from === undefined || to === undefined || from > to)
      return `${field.name}: cannot read ${JSON.stringify(item)}`;
    if (from < field.min || to > field.max) {
      return `${field.name}: ${item} is not between ${field.min} and ${field.max}`;
    }
  }
  return undefined;
}

function numberOf(text: string, { min, words = [] }: CronField): number | undefined {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const place = words.indexOf(text.toLowerCase());
  return place < 0 ? undefined : place + min;
}
