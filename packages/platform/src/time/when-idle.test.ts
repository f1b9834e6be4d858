import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { whenIdle } from "./when-idle";

/** @param busy busy share of each second since the start; later seconds are idle */
function afterStart(busy: readonly number[]) {
  const clock = new ManualClock();
  const calls: number[] = [];
  let lookedAt = 0;
  const busyShare = () => {
    const seconds = busy.slice(lookedAt / 1000, clock.elapsed() / 1000);
    lookedAt = clock.elapsed();
    return seconds.reduce((sum, share) => sum + share, 0) / Math.max(seconds.length, 1);
  };
  const cancel = whenIdle(() => calls.push(clock.elapsed()), { clock, busyShare });
  return { clock, calls, cancel };
}

const busyFor = (seconds: number) => Array.from({ length: seconds }, () => 0.9);

test.each<[string, readonly number[], number]>([
  ["a process that is quiet soon is given five seconds", busyFor(1), 5_000],
  ["one that is busy at its start, until the first quiet second", busyFor(12), 13_000],
  ["one that is always busy, half a minute", busyFor(60), 30_000],
])("%s", (_behaviour, busy, expected) => {
  const { clock, calls } = afterStart(busy);
  clock.advance(60_000);
  expect(calls).toEqual([expected]);
  expect(clock.waiting).toBe(0);
});

test.each([1_000, 8_000])("called off after %d ms it is never called", (afterMs) => {
  const { clock, calls, cancel } = afterStart(busyFor(60));
  clock.advance(afterMs);
  cancel();
  clock.advance(60_000);
  expect(calls).toEqual([]);
  expect(clock.waiting).toBe(0);
});
