import { describe, expect, test } from "@jest/globals";
import {
  canonicalDuration,
  canonicalMicroTime,
  canonicalTime,
  microTimeText,
  parseDuration,
  parseTime,
  timeText,
} from "../index";

describe("times", () => {
  test.each([
    ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T12:00:00.999999999Z", "2024-05-01T12:00:00Z"],
    ["2024-01-01T00:30:00+02:00", "2023-12-31T22:30:00Z"],
    ["2024-02-28T23:30:00-01:00", "2024-02-29T00:30:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  ])("%s is %s", (text, expected) => expect(canonicalTime(text)).toBe(expected));

  test.each([
    "",
    "now",
    "2024-05-01",
    "2024-05-01 12:00:00Z",
    "2024-05-01T12:00:00",
    "2023-02-29T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-04-31T00:00:00Z",
    "2024-05-01T24:00:00Z",
    "2024-05-01T12:60:00Z",
    "2024-05-01T12:00:00+25:00",
    "0000-01-01T00:00:00+01:00",
  ])("%j is none", (text) => expect(canonicalTime(text)).toBeUndefined());

  test("times in microseconds keep six decimals", () => {
    expect(canonicalMicroTime("2024-05-01T12:00:00.000000Z")).toBe("2024-05-01T12:00:00.000000Z");
    expect(canonicalMicroTime("2024-05-01T12:00:00,123456+01:00")).toBe("2024-05-01T11:00:00.123456Z");
    for (const decimals of ["", ".", ".123", ".12345", ".1234567"]) {
      expect(canonicalMicroTime(`2024-05-01T12:00:00${decimals}Z`)).toBeUndefined();
    }
  });

  test("are milliseconds to programs, and back", () => {
    expect(parseTime("1970-01-01T00:00:01Z")).toBe(1000);
    expect(parseTime("1970-01-01T00:00:00.000250Z")).toBe(0.25);
    expect(timeText(1999)).toBe("1970-01-01T00:00:01Z");
    expect(microTimeText(1.25)).toBe("1970-01-01T00:00:00.001250Z");
  });
});

describe("durations", () => {
  test.each([
    ["0", "0s"],
    ["90m", "1h30m0s"],
    ["1h", "1h0m0s"],
    ["1.5s", "1.5s"],
    ["1500ms", "1.5s"],
    ["-1m30s", "-1m30s"],
    ["250us", "250µs"],
    ["1ns", "1ns"],
    ["0.5h", "30m0s"],
    ["+1s", "1s"],
    ["1500us", "1.5ms"],
    ["25h", "25h0m0s"],
  ])("%s is %s", (text, expected) => expect(canonicalDuration(text)).toBe(expected));

  test.each(["", "1", "1d", "h", "1h-30m", "1 h", "300y", "9999999999h", "."])("%j is none", (text) =>
    expect(canonicalDuration(text)).toBeUndefined(),
  );

  test("are exact nanoseconds to programs", () => expect(parseDuration("1h0.000000001s")).toBe(3_600_000_000_001n));
});
