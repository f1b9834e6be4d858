import { expect, test } from "@jest/globals";
import { cronScheduleError } from "./cron-schedule";

test.each([
  "* * * * *",
  "*/5 0-6 1,15 jan-mar MON-FRI",
  "0 22 * * 1-5",
  "5/15 * ? * ?",
  "@hourly",
  "@every 1h30m",
  "TZ=Europe/Berlin 0 8 * * *",
  "CRON_TZ=UTC @daily",
  "  0 0 * * 0  ",
])("%j is a schedule", (text) => expect(cronScheduleError(text)).toBeUndefined());

test.each([
  ["", "expected exactly 5 fields"],
  ["* * * *", "expected exactly 5 fields"],
  ["* * * * * *", "expected exactly 5 fields"],
  ["60 * * * *", "minute"],
  ["* 24 * * *", "hour"],
  ["* * 0 * *", "day of month"],
  ["* * * 13 *", "month"],
  ["* * * * 7", "day of week"],
  ["5-1 * * * *", "minute"],
  ["*/0 * * * *", "step of range should be a positive number"],
  ["a * * * *", "minute"],
  ["1,,2 * * * *", "minute"],
  ["@never", "unrecognized descriptor"],
  ["@every soon", "unrecognized descriptor"],
  ["TZ=Nowhere/Land 0 8 * * *", "unknown time zone"],
])("%j is none, and the reason is told: %s", (text, says) => expect(cronScheduleError(text)).toContain(says));
