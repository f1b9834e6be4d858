import { expect, test } from "@jest/globals";
import { bytesText } from "../values/bytes";
import { numberText, percentText, secondsText, timeOf } from "./texts";

test("numbers, durations and shares have a unit that suits them", () => {
  expect([0, 0.126, 12.34, 1234].map(numberText)).toEqual(["0", "0.13", "12.3", "1,234"]);
  expect([0.00002, 0.0123, 1.26].map(secondsText)).toEqual(["20 µs", "12.3 ms", "1.3 s"]);
  expect(percentText(0.256)).toBe("25.6%");
  expect([5, 2048, 3 * 1024 ** 3].map(bytesText)).toEqual(["5 B", "2.0 KiB", "3.0 GiB"]);
});

test("zero and what is no time give no time", () => {
  expect(timeOf(1_700_000_000)).toBe("2023-11-14T22:13:20.000Z");
  for (const seconds of [undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e15])
    expect(timeOf(seconds)).toBeUndefined();
});
