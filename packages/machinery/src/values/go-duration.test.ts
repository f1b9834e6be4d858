import { expect, test } from "@jest/globals";
import { formatGoDuration, parseGoDuration } from "./go-duration";

test.each<[string, number, string]>([
  ["0", 0, "0s"],
  ["0s", 0, "0s"],
  ["34s", 34_000, "34s"],
  ["1m", 60_000, "1m0s"],
  ["1h30m0s", 5_400_000, "1h30m0s"],
  ["1.5h", 5_400_000, "1h30m0s"],
  ["-1.5s", -1_500, "-1.5s"],
  ["+5s", 5_000, "5s"],
  ["300ms", 300, "300ms"],
  ["1s1ms", 1_001, "1.001s"],
  ["2.5ms", 2.5, "2.5ms"],
  ["7us", 0.007, "7µs"],
  ["7µs", 0.007, "7µs"],
  ["100ns", 0.0001, "100ns"],
  ["100h", 360_000_000, "100h0m0s"],
  [".5s", 500, "500ms"],
])("%j is %j ms, written %j", (text, milliseconds, canonical) => {
  expect(parseGoDuration(text)).toBeCloseTo(milliseconds, 6);
  expect(formatGoDuration(milliseconds)).toBe(canonical);
});

test.each(["", "5", "s", "5 s", "1d", "--5s", ".s", "5s\n"])("%j is no duration", (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});
