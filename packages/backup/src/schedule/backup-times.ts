// The times of backups: a cron expression or an interval.
import { parseGoDuration } from "@orch/machinery";
import type { Cron } from "croner";

export interface BackupTimes {
  /** Returns the first time after another one, in milliseconds since the epoch; undefined when there is none. */
  after(ms: number): number | undefined;
}

const INTERVAL_MIN_MS = 1_000;
/** Minute, hour, day of the month, month, day of the week. */
const CRON_FIELDS = 5;
const TEXT_MAX = 200;

/**
 * Reads a schedule: `@daily`, a cron expression of five fields in UTC, or a duration.
 * @throws Error that names the rule
 */
export function readBackupTimes(text: string): BackupTimes {
  if (text.length > TEXT_MAX) throw new Error(`a schedule must have at most ${TEXT_MAX} characters`);
  const intervalMs = parseGoDuration(text);
  if (intervalMs !== undefined) {
    if (intervalMs < INTERVAL_MIN_MS) throw new Error(`${JSON.stringify(text)} is less than 1s`);
    return { after: (ms) => ms + intervalMs };
  }
  const cron = cronOf(text.trim());
  return { after: (ms) => cron.nextRun(new Date(ms))?.getTime() };
}

function cronOf(text: string): Cron {
  const isNamed = text.startsWith("@");
  const fields = text.split(/\s+/).length;
  const wrong = `${JSON.stringify(text.slice(0, 100))} is neither a cron expression of five fields, such as "0 3 * * *", nor a duration, such as 6h`;
  if (!isNamed && fields !== CRON_FIELDS) throw new Error(wrong);
  const { Cron: Expression } = require("croner") as typeof import("croner");
  try {
    // Paused: this only computes times.
    const cron = new Expression(text, { paused: true, timezone: "UTC" });
    if (cron.nextRun() === null) throw new Error("it has no time in the future");
    return cron;
  } catch (error) {
    throw new Error(`${wrong}: ${(error as Error).message.replace(/^CronPattern: /, "")}`, { cause: error });
  }
}
