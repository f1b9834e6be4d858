import { expect, test } from "@jest/globals";
import { endOverTime } from "./end-over-time";

test.each([
  ["all at once without a time", 5, 0, [], ["a:0", "b:0", "c:0", "d:0", "e:0"]],
  ["evenly over the time", 4, 200, [], ["a:0", "b:50", "c:100", "d:150"]],
  ["several in a round, where there are more than rounds", 5, 100, [], ["a:0", "b:0", "c:0", "d:50", "e:50"]],
  ["but not those that have ended by themselves", 4, 200, ["b", "c"], ["a:0", "d:50"]],
])("streams end %s", async (_behaviour, count, overMs, gone, expected) => {
  let now = 0;
  const ended: string[] = [];
  await endOverTime(["a", "b", "c", "d", "e"].slice(0, count), {
    overMs,
    hasEnded: (name) => gone.includes(name),
    end: (name) => ended.push(`${name}:${now}`),
    pause: async (ms) => {
      now += ms;
    },
  });
  expect(ended).toEqual(expected);
});
