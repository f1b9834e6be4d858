import { expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { ManualClock } from "@orch/testing";
import { CallBound } from "./call-bound";

/** Imitates the signal of a request, with its listeners. */
function outer() {
  const listeners = new Set<() => void>();
  return {
    aborted: false,
    listeners,
    addEventListener: (_: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: "abort", listener: () => void) => void listeners.delete(listener),
  };
}
const never = () => new Promise<never>(() => {});

test("a call that takes too long is ended, and all who listen are told", async () => {
  const clock = new ManualClock();
  const bound = new CallBound(clock, 1000, NEVER_ENDS);
  const told: string[] = [];
  const first = () => void told.push("first");
  bound.addEventListener("abort", first);
  bound.addEventListener("abort", () => void told.push("second"));
  bound.removeEventListener("abort", first);
  const work = bound.within(never());
  clock.advance(999);
  expect([bound.aborted, told]).toEqual([false, []]);
  clock.advance(1);
  expect([bound.aborted, bound.end, told]).toEqual([true, "late", ["second"]]);
  await expect(work).rejects.toBe(bound.reason);
  await expect(bound.within(never())).rejects.toBe(bound.reason);
});

test("a call without waiting requests is canceled, and listeners are removed", async () => {
  const clock = new ManualClock();
  const ended = outer();
  const bound = new CallBound(clock, 1000, ended);
  for (const listener of ended.listeners) listener();
  expect(bound.end).toBe("ended");
  const kept = outer();
  const other = new CallBound(clock, 1000, kept);
  await expect(other.within(Promise.resolve("done"))).resolves.toBe("done");
  other.release();
  bound.release();
  expect([kept.listeners.size, ended.listeners.size, clock.waiting]).toEqual([0, 0, 0]);
});
