import { expect, test } from "@jest/globals";
import { linePath } from "./chart-line";

const EXTENT = { width: 100, height: 10 };

test("a line goes over the whole width, and its largest value is at the top", () => {
  const spots = [0, 5, 10].map((value, at) => ({ at: at * 7, value }));
  expect(linePath(spots, EXTENT)).toBe("M0 10h0L50 5L100 0");
});

test("gaps interrupt the line, and a single value is a point", () => {
  const spots = [1, undefined, 2].map((value, at) => ({ at, value }));
  expect(linePath(spots, EXTENT)).toBe("M0 5h0M100 0h0");
  expect(linePath([{ at: 3, value: 0 }], EXTENT)).toBe("M100 10h0");
  expect(linePath([], EXTENT)).toBe("");
  expect(linePath([{ at: 1, value: Number.NaN }], EXTENT)).toBe("");
});
