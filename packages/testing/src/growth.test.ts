import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "./growth";

const texts = (size: number) => Array.from({ length: size }, (_, index) => `text ${index}`);

test("one pass is linear", async () => {
  const growth = await growthOf((size) => {
    const all = texts(size);
    return () => new Set(all);
  }, 5000);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

describe("superlinear work", () => {
  const unit = texts(1000);
  /** @param units cost of each size */
  const growthOfUnits = (units: Readonly<Record<number, number>>) =>
    growthOf((size) => {
      const times = units[size] ?? 0;
      return () => {
        for (let time = 0; time < times; time += 1) new Set(unit);
      };
    }, 1);

  /** Imitates the cost of moving a large heap. */
  test("and its share from there on is linear", async () => {
    expect(await growthOfUnits({ 1: 1, 4: 20, 16: 80 })).toBeLessThan(LINEAR_MAX);
  });

  /** Between the bounds of growth and of doubt, with room for noise. */
  test("and is refused for its size from there on is not", async () => {
    expect(await growthOfUnits({ 1: 1, 4: 36, 16: 0 })).toBeGreaterThan(LINEAR_MAX);
  });
});

/** Cubic, because other work on the machine can hide much of quadratic growth by raising the cost of the small size. */
test("cubic work is not", async () => {
  const growth = await growthOf((size) => {
    const all = texts(size);
    return () => {
      let found = 0;
      for (const one of all) for (const two of all) for (const three of all) if (one > two && two > three) found += 1;
      return found;
    };
  }, 40);
  expect(growth).toBeGreaterThan(LINEAR_MAX);
});
