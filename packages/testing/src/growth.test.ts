import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "./growth";

const texts = (size: number) => Array.from({ length: size }, (_, index) => `text ${index}`);

test("what looks at each once is linear", async () => {
  const growth = await growthOf((size) => {
    const all = texts(size);
    return () => new Set(all);
  }, 5000);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

describe("what costs by a step more", () => {
  const unit = texts(1000);
  /** @param units what each size costs */
  const growthOfUnits = (units: Readonly<Record<number, number>>) =>
    growthOf((size) => {
      const times = units[size] ?? 0;
      return () => {
        for (let time = 0; time < times; time += 1) new Set(unit);
      };
    }, 1);

  /** As of what the heap has to move once there is much of it. */
  test("and its share from there on is linear", async () => {
    expect(await growthOfUnits({ 1: 1, 4: 20, 16: 80 })).toBeLessThan(LINEAR_MAX);
  });

  test("and is refused for its size from there on is not", async () => {
    expect(await growthOfUnits({ 1: 1, 4: 20, 16: 0 })).toBeGreaterThan(LINEAR_MAX);
  });
});

/** Of what grows by the square other work on the machine can hide much: what is small then costs more, by comparison. */
test("what tries every three of them is not", async () => {
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
