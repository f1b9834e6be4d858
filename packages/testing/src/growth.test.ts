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

test("what compares each with all others is not", async () => {
  const growth = await growthOf((size) => {
    const all = texts(size);
    return () => all.filter((text, index) => all.indexOf(text) === index);
  }, 4000);
  expect(growth).toBeGreaterThan(LINEAR_MAX);
});
