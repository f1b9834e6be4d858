import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { type HeldRefusal, Refusals } from "./refusals";

const start = () => {
  const clock = new ManualClock();
  const refusals = new Refusals({ clock, perSecond: 100, burst: 5, waitingMax: 30 });
  let given = 0;
  const refuse = (): boolean => refusals.hold(() => (given += 1)) !== undefined;
  return { clock, refusals, refuse, given: () => given };
};

test("some are given at once, the others as fast as is bearable, and none is lost", () => {
  const { clock, refuse, given } = start();
  const held = Array.from({ length: 25 }, refuse).filter((isHeld) => isHeld).length;
  expect([held, given()]).toEqual([20, 0]);
  clock.advance(100);
  expect(given()).toBe(10);
  clock.advance(100);
  expect([given(), clock.waiting]).toEqual([20, 0]);
});

test("more than may wait are given at once", () => {
  const { refuse } = start();
  expect(Array.from({ length: 50 }, refuse).filter((isHeld) => isHeld)).toHaveLength(30);
});

test("those whose clients have left are forgotten", () => {
  const { clock, refusals, given } = start();
  const kept = Array.from({ length: 10 }, () => refusals.hold(() => {})).filter((held) => held !== undefined);
  expect(kept).toHaveLength(5);
  for (const held of kept as HeldRefusal[]) refusals.drop(held);
  expect(refusals.size).toBe(0);
  clock.advance(1000);
  expect([given(), clock.waiting]).toEqual([0, 0]);
});
