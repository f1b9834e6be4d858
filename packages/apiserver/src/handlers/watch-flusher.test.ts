import { expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/registry";
import { ManualClock, settled } from "@orch/testing";
import { type WakingStream, WatchFlusher } from "./watch-flusher";

/** Makes a flusher with a stopped clock, in a turn that never ends. */
function flusher() {
  const clock = new ManualClock();
  const yielder = new EventLoopYielder({ now: () => 0 });
  const made = new WatchFlusher(
    (error) => {
      throw error;
    },
    yielder,
    clock,
  );
  return { flusher: made, clock };
}

const streams = (count: number, pump: (at: number) => void): WakingStream[] =>
  Array.from({ length: count }, (_, at) => ({ pump: () => pump(at), cutOff: () => {} }));

test("a few streams are sent to in the next turn", async () => {
  const { flusher: made, clock } = flusher();
  const pumped: number[] = [];
  for (const stream of streams(10, (at) => pumped.push(at))) made.wake(stream);
  expect(pumped).toEqual([]);
  await settled();
  expect(pumped).toHaveLength(10);
  expect(clock.waiting).toBe(0);
});

test.each([
  [100, 2],
  [1000, 10],
  [5000, 10],
])("events for %i streams are batched for %i ms, including streams that wake meanwhile", async (count, ms) => {
  const { flusher: made, clock } = flusher();
  const pumped: number[] = [];
  for (const stream of streams(count, (at) => pumped.push(at))) made.wake(stream);
  await clock.pass(ms - 1);
  expect(pumped).toEqual([]);
  const [late] = streams(1, () => pumped.push(-1));
  made.wake(late as WakingStream);
  await clock.pass(1);
  expect(pumped).toHaveLength(count + 1);
  expect(pumped.at(-1)).toBe(-1);
  expect(clock.waiting).toBe(0);
});

test.each([
  [10, 0, 1],
  [100, 2, 10],
  [1000, 10, 20],
  [5000, 10, 20],
])("while events keep coming, %i streams are sent to after %i ms, then every %i ms", async (count, first, pace) => {
  const { flusher: made, clock } = flusher();
  let pumped = 0;
  const woken = streams(count, () => {
    pumped += 1;
  });
  for (const stream of woken) made.wake(stream);
  await clock.pass(first);
  expect(pumped).toBe(count);
  for (const stream of woken) made.wake(stream);
  await clock.pass(pace - 1);
  expect(pumped).toBe(count);
  await clock.pass(1);
  expect(pumped).toBe(2 * count);
  expect(clock.waiting).toBe(0);
});
