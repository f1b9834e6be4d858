import { expect, test } from "@jest/globals";
import { surplusConnections } from "./connection-shares";

test.each([
  ["all have as many: nobody gives up any", [10, 10, 10], [0, 0, 0]],
  ["a little more is not worth the trouble", [12, 10, 8], [0, 0, 0]],
  ["a new one has none: the others give up what is above their share", [12, 12, 0], [4, 4, 0]],
  ["many are given up in portions", [1000, 0], [20, 0]],
  ["two connections on two workers stay where they are", [2, 0], [0, 0]],
])("%s", (_what, counts, expected) => expect(surplusConnections(counts)).toEqual(expected));

test("forwarded connections spread over the workers", () => {
  let counts: readonly number[] = [0, 400, 400, 400];
  let next = 0;
  for (let round = 0; round < 40; round += 1) {
    const surplus = surplusConnections(counts);
    const kept = counts.map((count, at) => count - (surplus[at] ?? 0));
    for (let moved = surplus.reduce((all, each) => all + each, 0); moved > 0; moved -= 1) {
      kept[next % kept.length] = (kept[next % kept.length] ?? 0) + 1;
      next += 1;
    }
    counts = kept;
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(330);
  expect(surplusConnections(counts)).toEqual([0, 0, 0, 0]);
});
