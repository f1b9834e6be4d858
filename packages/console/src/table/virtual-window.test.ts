import { describe, expect, test } from "@jest/globals";
import { scrollTo, windowOf } from "./virtual-window";

describe("the window of a long list", () => {
  const COUNT = 50_000;
  test("has the same size wherever it is", () => {
    for (const top of [0, 17, 3200, 1_000_000, COUNT * 32 - 600]) {
      const { start, end } = windowOf(top, 600, 32, COUNT);
      expect(end - start).toBe(36);
      expect(start * 32).toBeLessThanOrEqual(top);
      expect(end * 32).toBeGreaterThanOrEqual(top + 600);
    }
  });

  test("has all rows of a short list, and none of an empty one", () => {
    expect(windowOf(0, 600, 32, 5)).toEqual({ start: 0, end: 5 });
    expect(windowOf(999, 600, 32, 0)).toEqual({ start: 0, end: 0 });
  });

  test("ends with the last row when the list has become shorter than the position", () => {
    expect(windowOf(1_000_000, 600, 32, 100)).toEqual({ start: 64, end: 100 });
  });
});

test.each([
  ["above the view", 3, 320, 96],
  ["in the view", 15, 320, 320],
  ["below the view", 40, 320, 41 * 32 - 600],
])("a row %s is scrolled to", (_where, index, top, expected) => expect(scrollTo(index, top, 600, 32)).toBe(expected));
