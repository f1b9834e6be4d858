// Changes of the graph give way to the event loop, and those of one object keep their order.
import { expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/platform";
import { GraphChanges } from "./graph-changes";
import type { GraphChange, ToDo } from "./owner-graph";

const NOTHING: ToDo = { examine: [], lookUp: [], orphan: [], absent: [] };

/** Returns changes whose every step uses up the slice of a turn, and what they have done. */
function recorded() {
  const done: string[] = [];
  let nowMs = 0;
  const changes = new GraphChanges(() => [], new EventLoopYielder({ sliceMs: 1, now: () => nowMs }));
  const change = (name: string, steps: number) =>
    function* (): GraphChange {
      for (let step = 1; step <= steps; step += 1) {
        nowMs += 10;
        done.push(`${name}${step}`);
        if (step < steps) yield;
      }
      return NOTHING;
    };
  return { done, changes, change };
}

test("changes of one object run one after the other, and those of others in between", async () => {
  const { done, changes, change } = recorded();
  const first = changes.make("a", change("first", 4));
  const second = changes.make("a", change("second", 1));
  expect(changes.make("b", change("other", 1))).toBeUndefined();
  expect(done).toContain("other1");
  expect(done).not.toContain("first4");
  await Promise.all([first, second]);
  expect(done.filter((step) => step !== "other1")).toEqual(["first1", "first2", "first3", "first4", "second1"]);
  expect(changes.make("a", change("third", 1))).toBeUndefined();
});
