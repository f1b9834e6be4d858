// When backups are due, for clocks that may be wrong.
import { describe, expect, test } from "@jest/globals";
import type { BackupRecord } from "./backup-record";
import { readBackupTimes } from "./backup-times";
import { nextAttemptMs, retryMsAfter } from "./next-attempt";

const at = (text: string): number => Date.parse(`2026-05-${text}Z`);
const DAILY = readBackupTimes("0 3 * * *");
const HOURLY = readBackupTimes("1h");
const YEAR_MS = 365 * 86_400_000;

test.each<[string, Partial<BackupRecord>, string, string]>([
  ["without a backup is now", {}, "10T12:00:00", "10T12:00:00"],
  ["after one is the next time", { succeededMs: at("10T03:00:01") }, "10T12:00:00", "11T03:00:00"],
  ["after missed times is the first of them", { succeededMs: at("07T03:00:01") }, "10T12:00:00", "08T03:00:00"],
  ["after a failure is that of the pause", { failures: 1, retryMs: at("10T12:00:10") }, "10T12:00:00", "10T12:00:10"],
  ["of a record of the future is now", { succeededMs: at("10T03:00:00") + YEAR_MS }, "10T12:00:00", "10T12:00:00"],
  ["after a pause that is too long is now", { failures: 2, retryMs: at("11T12:00:00") }, "10T12:00:00", "10T12:00:00"],
  ["after a failure without a pause is now", { failures: 2 }, "10T12:00:00", "10T12:00:00"],
])("the time of the next attempt %s", (_what, record, now, expected) => {
  expect(nextAttemptMs({ failures: 0, ...record }, DAILY, at(now))).toBe(at(expected));
});

test("an interval counts from the last backup", () => {
  const record = { failures: 0, succeededMs: at("10T12:00:00") };
  expect(nextAttemptMs(record, HOURLY, at("10T12:10:00"))).toBe(at("10T13:00:00"));
});

test("pauses after failures grow to ten minutes", () => {
  expect([1, 2, 3, 20].map((failures) => retryMsAfter(failures, 0) / 1000)).toEqual([10, 20, 40, 600]);
});

describe("a schedule", () => {
  test.each([
    ["@daily", "11T00:00:00"],
    ["*/15 * * * *", "10T12:15:00"],
    ["30 4 1,15 * 5", "15T04:30:00"],
    ["90m", "10T13:30:00"],
  ])("%s is read", (text, expected) => {
    expect(readBackupTimes(text).after(at("10T12:00:00"))).toBe(at(expected));
  });

  test.each([
    "",
    "* * * *",
    "* * * * * *",
    "61 * * * *",
    "0 3 30 2 *",
    "500ms",
    "-1h",
    "@hourlyish",
    "x".repeat(100_000),
    "* * * * * ".repeat(10_000),
    "1-99999999 * * * *",
    `${"1,".repeat(50_000)}1 * * * *`,
    "2026-05-10T03:00:00 * * * *",
  ])("is refused when it is wrong (%#)", (text) => {
    const begun = performance.now();
    expect(() => readBackupTimes(text)).toThrow(
      /neither a cron expression of five fields|is less than 1s|at most 200 characters/,
    );
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
