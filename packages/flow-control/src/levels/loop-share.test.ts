import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import type { Queued, Waiting } from "../queues/fair-queues";
import { LoopShare } from "./loop-share";
import { PriorityLevels } from "./priority-levels";

/** Creates levels of one seat per share; each request takes a fraction of a millisecond of the event loop. */
function start(shares: Readonly<Record<string, number>>, costMs = 0.25, isBusy = () => false) {
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const loop = new LoopShare({
    nowMs: () => clock.elapsed(),
    later: (turn) => turns.push(turn),
    atOnceMs: 1,
    waitingMs: 1,
    isBusy,
  });
  const seats = Object.values(shares).reduce((sum, each) => sum + each, 0);
  const levels = new PriorityLevels({
    clock,
    seats,
    waitMs: 15_000,
    waitingMax: 1000,
    isLoopBusy: () => loop.isBusy,
    ready: (level) => loop.ready(level),
  });
  levels.replace(
    Object.entries(shares).map(([name, share]) => ({
      name,
      uid: "",
      limited: {
        shares: share,
        lendablePercent: 0,
        borrowingLimitPercent: undefined,
        queuing: { queues: 64, handSize: 1, lengthMax: 500 },
      },
    })),
  );
  const order: string[] = [];
  const come = (name: string, flow: number): void => {
    const level = levels.get(name.split(" ")[0] ?? "");
    const waiting: Waiting = {
      width: 1,
      about: () => ({}) as never,
      begin(queued: Queued) {
        order.push(name);
        clock.advance(costMs);
        level?.queues.finish(1, queued.queue, costMs / 1000);
      },
      refuse() {},
    };
    level?.queues.enqueue(waiting, flow);
  };
  /** Runs one turn of the event loop. @returns the requests that began in it */
  const turn = (): string[] => {
    const from = order.length;
    for (const each of turns.splice(0)) each();
    return order.slice(from);
  };
  return { clock, loop, come, turn, turns };
}

test("queued work starts in small parts per turn, in no more turns than needed", () => {
  const { come, turn, turns } = start({ a: 10 });
  for (let at = 0; at < 10; at += 1) come("a", 1);
  expect([turn(), turn(), turn()].map(({ length }) => length)).toEqual([4, 4, 2]);
  expect(turns).toHaveLength(0);
});

test("a request that arrives between two turns of a flood is served in the next turn", () => {
  const { come, turn } = start({ a: 10 });
  for (let at = 0; at < 100; at += 1) come("a flood", 1);
  turn();
  come("a quiet", 2);
  expect(turn()[0]).toBe("a quiet");
});

test("levels have the event loop in proportion to their seats", () => {
  const { come, turn } = start({ large: 30, small: 10 });
  for (let at = 0; at < 400; at += 1) {
    come("large", 1);
    come("small", 2);
  }
  const served = Array.from({ length: 40 }, turn).flat();
  const ofLarge = served.filter((name) => name === "large").length;
  expect(served).toHaveLength(160);
  expect(Math.abs(ofLarge - 120)).toBeLessThanOrEqual(4);
});

test("requests of one turn are begun at once for so long, and no longer", () => {
  const { clock, loop, turn } = start({ a: 10 });
  expect(loop.isSpent(clock.elapsed())).toBe(false);
  clock.advance(0.9);
  expect(loop.isSpent(clock.elapsed())).toBe(false);
  clock.advance(0.1);
  expect(loop.isSpent(clock.elapsed())).toBe(true);
  turn();
  expect(loop.isSpent(clock.elapsed())).toBe(false);
});

test("whether the loop is busy is looked at now and then, and holds until the next look", () => {
  let works = true;
  const looks: number[] = [];
  const { clock, loop, come, turn } = start({ a: 10 }, 0.25, () => {
    looks.push(clock.elapsed());
    return works;
  });
  const isBusyAfter = (ms: number): boolean => {
    clock.advance(ms);
    come("a", 1);
    turn();
    return loop.isBusy;
  };
  expect([isBusyAfter(5), isBusyAfter(20), isBusyAfter(5)]).toEqual([false, true, true]);
  works = false;
  expect([isBusyAfter(5), isBusyAfter(20)]).toEqual([true, false]);
  expect(looks).toHaveLength(2);
});
