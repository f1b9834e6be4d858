import { expect, test } from "@jest/globals";
import { inOrder } from "./in-order";

const ITEMS = [0, 1, 2, 3, 4];

test("nothing is waited for where there is nothing to wait for", () => {
  const seen: number[] = [];
  expect(inOrder(ITEMS, (item) => void seen.push(item))).toBeUndefined();
  expect(seen).toEqual(ITEMS);
});

test("each has its turn when those before it are done", async () => {
  const seen: string[] = [];
  const late = inOrder(ITEMS, (item) => {
    seen.push(`begins ${item}`);
    if (item % 2 === 0) return undefined;
    return Promise.resolve().then(() => void seen.push(`ends ${item}`));
  });
  expect(seen).toEqual(["begins 0", "begins 1"]);
  await late;
  const ends = (item: number) => (item % 2 === 0 ? [] : [`ends ${item}`]);
  expect(seen).toEqual(ITEMS.flatMap((item) => [`begins ${item}`, ...ends(item)]));
});

test("the first that fails ends it", async () => {
  const seen: number[] = [];
  const late = inOrder(ITEMS, async (item) => {
    seen.push(item);
    if (item === 2) throw new Error("two");
  });
  await expect(late).rejects.toThrow("two");
  expect(seen).toEqual([0, 1, 2]);
});
