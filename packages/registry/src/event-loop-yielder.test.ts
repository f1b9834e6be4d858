import { expect, jest, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/platform";
import { listing, readTexts, startRegistry, watching } from "./testing/harness";
import { createMany, createOne, recolor } from "./testing/sample";
import { widgets } from "./testing/widgets";

/** Returns turns whose clock advances by `msALook` each time that it is read. */
function yielderWith(msALook: number): { yielder: EventLoopYielder; looks: () => number } {
  let now = 0;
  const yielder = new EventLoopYielder({
    now: () => {
      now += msALook;
      return now;
    },
  });
  return { yielder, looks: () => now / msALook };
}

test("the work of a turn is over after its slice, for all who ask", async () => {
  const { yielder } = yielderWith(1);
  expect(Array.from({ length: 12 }, () => yielder.isOver)).toEqual([...Array(8).fill(false), ...Array(4).fill(true)]);
  await new Promise(setImmediate);
  expect(yielder.isOver).toBe(false);
});

test("those who wait go on one a turn, and what comes meanwhile is not kept waiting", async () => {
  const { yielder } = yielderWith(1);
  const seen: string[] = [];
  const worker = async (name: string) => {
    for (let step = 0; step < 2; step += 1) {
      await yielder.next();
      seen.push(name);
    }
  };
  const other = async () => {
    for (let step = 0; step < 6; step += 1) {
      await new Promise(setImmediate);
      seen.push("other");
    }
  };
  await Promise.all([worker("a"), worker("b"), other()]);
  // Two workers never run in the same turn.
  expect(seen.join(" ")).toMatch(/^(?:[ab] other ?){4}(?:other ?)*$/);
  expect(seen.filter((name) => name !== "other")).toEqual(["a", "b", "a", "b"]);
});

test("a list by labels pauses between the objects that it looks at", async () => {
  const { yielder, looks } = yielderWith(9);
  const { registry } = await startRegistry({ loop: yielder });
  const storage = registry.resource(widgets);
  await createMany(storage, 1000);
  const before = looks();
  const { entries } = await storage.list(listing({ selection: { labels: () => true } }));
  expect(entries).toHaveLength(1000);
  expect(looks() - before).toBeGreaterThan(30);
  registry.close();
});

test("a write that takes as long as a turn pauses between its parts", async () => {
  const pausesAt = async (msALook: number) => {
    const { yielder } = yielderWith(msALook);
    const paused = jest.spyOn(yielder, "next");
    const { registry } = await startRegistry({ loop: yielder });
    const storage = registry.resource(widgets);
    const before = paused.mock.calls.length;
    await createOne(storage, "a");
    const created = paused.mock.calls.length - before;
    await recolor(storage, "a", "blue");
    registry.close();
    return { created, updated: paused.mock.calls.length - before - created };
  };
  expect(await pausesAt(9)).toEqual({ created: 1, updated: 1 });
  expect(await pausesAt(7)).toEqual({ created: 0, updated: 0 });
});

test("a watch that wants little of much pauses as well", async () => {
  const { registry } = await startRegistry();
  const storage = registry.resource(widgets);
  await createMany(storage, 5000);
  let looked = 0;
  const labels = () => {
    looked += 1;
    return looked > 4900;
  };
  const watcher = await storage.watch(watching({ selection: { labels } }));
  expect(watcher.take(10)).toEqual([]);
  expect(looked).toBeLessThanOrEqual(2000);
  expect(await readTexts(watcher, 100)).toHaveLength(100);
  watcher.close();
  registry.close();
});
