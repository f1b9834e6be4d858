import { expect, test } from "@jest/globals";
import { eachInTurn } from "./each-in-turn";

test("tasks run once each, and only as many at a time as allowed", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await eachInTurn([1, 2, 3, 4, 5, 6, 7], 3, async (value) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    done.push(value);
  });
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});
