import { describe, expect, test } from "@jest/globals";
import { ageOf, timeUntil } from "./age";

describe("an age", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  test.each([
    ["2026-01-31T11:59:18Z", "42s"],
    ["2026-01-31T11:54:50Z", "5m10s"],
    ["2026-01-31T11:55:00Z", "5m"],
    ["2026-01-31T09:30:00Z", "150m"],
    ["2026-01-31T08:40:00Z", "3h20m"],
    ["2026-01-30T12:00:00Z", "24h"],
    ["2026-01-27T09:00:00Z", "4d3h"],
    ["2026-01-01T12:00:00Z", "30d"],
    ["2026-01-31T12:00:05Z", "0s"],
    ["no time", ""],
  ])("since %s is %s", (time, age) => expect(ageOf(time, now)).toBe(age));
});

test("the time until a future one has the same form, and a past one has none", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  expect(timeUntil("2026-01-31T12:57:10Z", now)).toBe("57m");
  expect([timeUntil("2026-01-31T12:00:00Z", now), timeUntil("x", now), timeUntil(undefined, now)]).toEqual([
    "",
    "",
    "",
  ]);
});
