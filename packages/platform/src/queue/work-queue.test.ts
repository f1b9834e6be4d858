import { describe, expect, test } from "@jest/globals";
import { ManualClock, settled } from "@orch/testing";
import { runWorkers } from "./run-workers";
import { WorkQueue } from "./work-queue";

const queueOn = (clock = new ManualClock()) => ({ clock, queue: new WorkQueue({ clock }) });

describe("an item", () => {
  test("waits once, however often it is added", async () => {
    const { queue } = queueOn();
    for (const item of ["a", "b", "a", "a"]) queue.add(item);
    expect([await queue.take(), await queue.take(), queue.size]).toEqual(["a", "b", 0]);
  });

  test("that is added while it is worked on comes back when that work is done, once", async () => {
    const { queue } = queueOn();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    expect(queue.size).toBe(0);
    queue.done("a");
    expect(queue.size).toBe(1);
    await queue.take();
    queue.done("a");
    expect(queue.size).toBe(0);
  });

  test("goes straight to whoever waits for one", async () => {
    const { queue } = queueOn();
    const taken = queue.take();
    queue.add("a");
    expect(await taken).toBe("a");
  });

  test("that is to come later comes then, at the earliest of its times", async () => {
    const { queue, clock } = queueOn();
    queue.addAfter("slow", 1000);
    queue.addAfter("slow", 5000);
    queue.addAfter("quick", 900);
    queue.addAfter("quick", 10);
    await clock.pass(10);
    expect([queue.size, await queue.take()]).toEqual([1, "quick"]);
    await clock.pass(989);
    expect(queue.size).toBe(0);
    await clock.pass(1);
    expect(await queue.take()).toBe("slow");
    queue.done("slow");
    await clock.pass(10_000);
    expect(queue.size).toBe(0);
  });

  test("that fails again and again waits twice as long each time, until it is forgotten", async () => {
    const { queue, clock } = queueOn();
    const waited: number[] = [];
    const measure = async () => {
      const from = clock.elapsed();
      queue.retry("a");
      while (queue.size === 0) await clock.pass(1);
      waited.push(clock.elapsed() - from);
      await queue.take();
      queue.done("a");
    };
    for (let failures = 0; failures < 5; failures += 1) await measure();
    queue.forget("a");
    await measure();
    expect(waited).toEqual([5, 10, 20, 40, 80, 5]);
  });

  test("that fails waits for the others too, once too many fail in a second", async () => {
    const { queue, clock } = queueOn();
    for (let at = 0; at < 110; at += 1) queue.retry(`item-${at}`);
    await clock.pass(5);
    expect(queue.size).toBe(100);
    await clock.pass(1000);
    expect(queue.size).toBe(110);
  });
});

test("delayed items come in the order of their times", async () => {
  const { queue, clock } = queueOn();
  const delays = Array.from({ length: 200 }, (_, at) => (at * 7919) % 1000);
  for (const [at, delay] of delays.entries()) queue.addAfter(`${delay}/${at}`, delay);
  await clock.pass(1000);
  const order: number[] = [];
  while (queue.size > 0) order.push(Number.parseInt((await queue.take()) as string, 10));
  expect(order).toEqual([...delays].sort((a, b) => a - b));
});

test.each([7_200_000, -3_600_000])(
  "delayed items are due within half a minute after the date was set by %d ms: some wait for a time of day",
  async (byMs) => {
    const { clock, queue } = queueOn();
    clock.step(byMs);
    queue.addAfter("a", 86_400_000);
    clock.advance(60_000);
    expect(queue.size).toBe(0);
    clock.step(byMs);
    clock.advance(30_000);
    expect(await queue.take()).toBe("a");
  },
);

describe("a queue that is closed", () => {
  test("takes nothing more in, and sends those away who wait", async () => {
    const { queue } = queueOn();
    const taken = queue.take();
    queue.close();
    queue.add("late");
    expect([await taken, await queue.take(), queue.size]).toEqual([undefined, undefined, 0]);
  });

  test("is drained when all that waited has been worked on", async () => {
    const { queue } = queueOn();
    queue.add("a");
    queue.add("b");
    let drained = false;
    const draining = queue.drain().then(() => {
      drained = true;
    });
    for (const item of ["a", "b"]) {
      expect(await queue.take()).toBe(item);
      await settled();
      expect(drained).toBe(false);
      queue.done(item);
    }
    await draining;
  });
});

describe("workers", () => {
  test("work on several items at once, and never on one item twice at once", async () => {
    const { queue } = queueOn();
    const stop = new AbortController();
    const under = new Set<string>();
    const counts = { worked: 0, most: 0, twice: 0 };
    const working = runWorkers({
      queue,
      workers: 3,
      signal: stop.signal,
      reconcile: async (item) => {
        if (under.has(item)) counts.twice += 1;
        under.add(item);
        counts.most = Math.max(counts.most, under.size);
        counts.worked += 1;
        if (counts.worked < 50) queue.add(item);
        await settled();
        under.delete(item);
      },
    });
    for (const item of ["a", "b", "c", "d", "e"]) queue.add(item);
    while (counts.worked < 50) await settled();
    stop.abort();
    await working;
    expect(counts).toMatchObject({ most: 3, twice: 0 });
  });

  test("try again what failed, look again at what asks for it, and forget failures after a success", async () => {
    const { queue, clock } = queueOn();
    const stop = new AbortController();
    const at: number[] = [];
    const working = runWorkers({
      queue,
      workers: 1,
      signal: stop.signal,
      reconcile: async () => {
        at.push(clock.elapsed());
        if (at.length <= 2) throw new Error("not yet");
        return at.length === 3 ? { againAfterMs: 1000 } : undefined;
      },
    });
    queue.add("a");
    await clock.pass(5_000);
    stop.abort();
    await working;
    expect(at).toEqual([0, 5, 15, 1015]);
    expect(queue.failuresOf("a")).toBe(0);
  });

  test("workers drop an item after too many failures, until it is added again", async () => {
    const { queue, clock } = queueOn();
    const stop = new AbortController();
    let tries = 0;
    const working = runWorkers({
      queue,
      workers: 1,
      signal: stop.signal,
      reconcile: async () => {
        tries += 1;
        throw new Error("never");
      },
      givesUp: (failures, error) => failures > 2 && (error as Error).message === "never",
    });
    queue.add("a");
    await clock.pass(5_000);
    expect([tries, queue.failuresOf("a")]).toEqual([3, 0]);
    queue.add("a");
    await clock.pass(5_000);
    stop.abort();
    await working;
    expect(tries).toBe(6);
  });

  test("end when told to, and leave what waits", async () => {
    const { queue } = queueOn();
    const stop = new AbortController();
    const worked: string[] = [];
    const working = runWorkers({
      queue,
      workers: 1,
      signal: stop.signal,
      reconcile: async (item) => {
        worked.push(item);
        stop.abort();
      },
    });
    queue.add("a");
    queue.add("b");
    await working;
    expect(worked).toEqual(["a"]);
  });
});

test("a queue reports metrics", async () => {
  const clock = new ManualClock();
  const told: (string | number)[] = [];
  const queue = new WorkQueue({
    clock,
    metrics: {
      made: (queue) => told.push("made", queue.longestWorkMs),
      depth: (items) => told.push("depth", items),
      added: () => told.push("added"),
      taken: (seconds) => told.push("taken", seconds),
      done: (seconds) => told.push("done", seconds),
      retried: () => told.push("retried"),
    },
  });
  queue.add("a");
  await clock.pass(2000);
  await queue.take();
  await clock.pass(3000);
  queue.add("b");
  await queue.take();
  await clock.pass(1000);
  expect([queue.longestWorkMs, queue.unfinishedWorkMs]).toEqual([4000, 5000]);
  queue.retry("a");
  queue.done("a");
  const first = ["made", 0, "added", "depth", 1, "depth", 0, "taken", 2];
  expect(told).toEqual([...first, "added", "depth", 1, "depth", 0, "taken", 0, "retried", "done", 4]);
});
