import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { Backoff } from "./backoff";

const times = (count: number, backoff: Backoff) => Array.from({ length: count }, () => backoff.next());

test("pauses double up to the longest, and begin anew after what worked", () => {
  const backoff = new Backoff({ firstMs: 50, maxMs: 300 });
  expect(times(5, backoff)).toEqual([50, 100, 200, 300, 300]);
  backoff.reset();
  expect(times(2, backoff)).toEqual([50, 100]);
});

test("pauses are drawn between the plain one and that with the whole jitter", () => {
  const draws = [0, 0.5, 0.75];
  const deps = { clock: new ManualClock(), chance: () => draws.shift() ?? 0 };
  const backoff = new Backoff({ firstMs: 100, factor: 3, maxMs: 1000, jitter: 1, resetAfterMs: 60_000 }, deps);
  expect(times(4, backoff)).toEqual([100, 450, 1575, 1000]);
});

test("a failure counts as the first again after a quiet time, to which the pause does not belong", () => {
  const clock = new ManualClock();
  const backoff = new Backoff({ firstMs: 100, maxMs: 1000, resetAfterMs: 500 }, { clock, chance: () => 0 });
  expect(times(2, backoff)).toEqual([100, 200]);
  clock.advance(200 + 500);
  expect(backoff.next()).toBe(400);
  clock.advance(400 + 501);
  expect(backoff.next()).toBe(100);
});
