import { expect, test } from "@jest/globals";
import { RareLine } from "./rare-line";

test("the first is told, and then one a minute, with how many were not", () => {
  let nowMs = 0;
  const line = new RareLine(() => nowMs);
  expect(line.due()).toBe(0);
  expect([line.due(), line.due()]).toEqual([undefined, undefined]);
  nowMs = 60_000;
  expect(line.due()).toBe(2);
  expect(line.due()).toBeUndefined();
  nowMs = 120_000;
  expect(line.due()).toBe(1);
});
