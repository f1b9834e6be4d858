import { describe, expect, test } from "@jest/globals";
import { ageText, humanDuration, timestampMs } from "./human-duration";

const [S, M, H, D, Y] = [1, 60, 3600, 86_400, 365 * 86_400] as const;

describe("a duration is shown in its largest unit, with the next one where it still matters", () => {
  test.each<[number, string]>([
    [-2, "<invalid>"],
    [-1.5, "0s"],
    [-0.5, "0s"],
    [0, "0s"],
    [0.9, "0s"],
    [S, "1s"],
    [119.9, "119s"],
    [2 * M, "2m"],
    [2 * M + 1, "2m1s"],
    [10 * M - 1, "9m59s"],
    [10 * M, "10m"],
    [10 * M + 59, "10m"],
    [3 * H - 1, "179m"],
    [3 * H, "3h"],
    [3 * H + M, "3h1m"],
    [8 * H - 1, "7h59m"],
    [8 * H, "8h"],
    [2 * D - 1, "47h"],
    [2 * D, "2d"],
    [2 * D + H, "2d1h"],
    [8 * D - 1, "7d23h"],
    [8 * D, "8d"],
    [2 * Y - 1, "729d"],
    [2 * Y, "2y"],
    [2 * Y + D, "2y1d"],
    [8 * Y - 1, "7y364d"],
    [8 * Y, "8y"],
    [8 * Y + 300 * D, "8y"],
    [Number.NaN, "<invalid>"],
  ])("%d s is %s", (seconds, text) => expect(humanDuration(seconds * 1000)).toBe(text));
});

describe("an age", () => {
  const nowMs = Date.parse("2024-05-01T12:00:00Z");

  test.each<[string | null | undefined, string]>([
    ["2024-05-01T11:55:00Z", "5m"],
    ["2024-05-01T11:55:00.250000Z", "4m59s"],
    ["2024-05-01T13:55:00+02:00", "5m"],
    ["2024-05-01T12:00:01Z", "0s"],
    ["2024-05-01T12:05:00Z", "<invalid>"],
    ["2024-0x-01T12:05:00Z", "<invalid>"],
    ["yesterday", "<invalid>"],
    ["", "<unknown>"],
    [null, "<unknown>"],
    [undefined, "<unknown>"],
  ])("the age of %s is %s", (time, text) => expect(ageText(time, nowMs)).toBe(text));
});

test("a stored time is read like any other", () => {
  for (const time of ["1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "2024-12-31T23:59:59Z"]) {
    expect(timestampMs(time)).toBe(Date.parse(time));
  }
});
