import { expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "./growth";

const texts = (size: number) => Array.from({ length: size }, (_, index) => `text ${index}`);

test("what looks at each once is linear", async () => {
  const growth = await growthOf((size) => {
    const all = texts(size);
    return () => new Set(all);
  }, 5000);
  expect(growth).toBeLessThan(LINEAR_MAX);
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
