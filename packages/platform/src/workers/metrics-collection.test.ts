import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { MetricsCollection } from "./metrics-collection";

let asked: (readonly [member: string, id: number])[];
let gathering: MetricsCollection<string>;
beforeEach(() => {
  jest.useFakeTimers();
  asked = [];
  gathering = new MetricsCollection((member, id) => void asked.push([member, id]));
});
afterEach(() => {
  jest.useRealTimers();
});

test("all others are asked, and the answer is there when all have told", async () => {
  const gathered = gathering.gather("a", ["a"], ["a", "b", "c"]);
  expect(asked).toEqual([
    ["b", 1],
    ["c", 1],
  ]);
  gathering.told("c", 1, ["c"]);
  gathering.told("b", 1, ["b"]);
  expect(await gathered).toEqual({ others: [["b"], ["c"]], gone: [], folds: 0 });
});

test("one that hangs stands with what it told last", async () => {
  gathering.keep("b", ["before"]);
  const gathered = gathering.gather("a", ["a"], ["a", "b", "c"]);
  gathering.told("c", 1, ["c"]);
  jest.advanceTimersByTime(2000);
  expect((await gathered).others).toEqual([["before"], ["c"]]);
});

test("counters of ended workers remain and are merged once", async () => {
  gathering.keep("b", ["b"]);
  gathering.keep("c", ["c"]);
  const waiting = gathering.gather("a", ["a"], ["a", "b"]);
  gathering.gone("c");
  gathering.gone("b");
  const { gone, folds, others } = await waiting;
  expect([others, gone, folds]).toEqual([[], [["c"], ["b"]], 0]);
  gathering.mergeSnapshots({ folds, count: 2, into: ["b and c"] });
  gathering.mergeSnapshots({ folds, count: 2, into: ["b and c, once more"] });
  expect(await gathering.gather("a", ["a"], ["a"])).toEqual({ others: [], gone: [["b and c"]], folds: 1 });
});
