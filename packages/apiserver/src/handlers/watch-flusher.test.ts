import { expect, test } from "@jest/globals";
import { LoopTurns } from "@orch/registry";
import { type WakingStream, WatchFlusher } from "./watch-flusher";

interface Pause {
  readonly ms: number;
  readonly act: () => void;
}

/** A flusher whose pauses last until they are ended, in a turn that is never over. */
function flusher() {
  const pauses: Pause[] = [];
  const turns = new LoopTurns({ now: () => 0 });
  const made = new WatchFlusher(
    (error) => {
      throw error;
    },
    turns,
    (ms, act) => pauses.push({ ms, act }),
  );
  return { flusher: made, pauses };
}

const streams = (count: number, pump: (at: number) => void): WakingStream[] =>
  Array.from({ length: count }, (_, at) => ({ pump: () => pump(at), cutOff: () => {} }));

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a few streams are sent to in the next turn", async () => {
  const { flusher: made, pauses } = flusher();
  const pumped: number[] = [];
  for (const stream of streams(10, (at) => pumped.push(at))) made.wake(stream);
  expect(pumped).toEqual([]);
  await nextTurn();
  expect(pumped).toHaveLength(10);
  expect(pauses).toEqual([]);
});

test.each([
  [100, 2],
  [1000, 10],
  [5000, 10],
])("what comes for %i streams is gathered for %i ms, and those that wake meanwhile go with it", async (count, ms) => {
  const { flusher: made, pauses } = flusher();
  const pumped: number[] = [];
  for (const stream of streams(count, (at) => pumped.push(at))) made.wake(stream);
  await nextTurn();
  expect(pumped).toEqual([]);
  expect(pauses.map((pause) => pause.ms)).toEqual([ms]);
  const [late] = streams(1, () => pumped.push(-1));
  made.wake(late as WakingStream);
  pauses[0]?.act();
  await nextTurn();
  expect(pumped).toHaveLength(count + 1);
  expect(pumped.at(-1)).toBe(-1);
  expect(pauses).toHaveLength(1);
});
