import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import type { QueuingSpec } from "../schemas/flow-spec";
import { FairQueues, type Queued, type Waiting } from "./fair-queues";

const QUEUES: QueuingSpec = { queues: 64, handSize: 1, lengthMax: 50 };

function start({
  limit = 1,
  queuing = QUEUES,
  waitMs = 15_000,
  roomMax = 10_000,
  isLoopBusy = () => false,
}: {
  readonly limit?: number;
  readonly queuing?: QueuingSpec | undefined;
  readonly waitMs?: number;
  readonly roomMax?: number;
  readonly isLoopBusy?: () => boolean;
} = {}) {
  const clock = new ManualClock();
  const told = { refused: [] as string[], ready: 0 };
  const room = { max: roomMax, waiting: 0 };
  const queues = new FairQueues({ clock, waitMs, room, isLoopBusy, ready: () => (told.ready += 1) });
  queues.configure(limit, queuing);
  const waiting = (name: string, width: number, holder?: string): Waiting => ({
    width,
    ...(holder !== undefined && { holder }),
    about: () => ({}) as never,
    begin() {},
    refuse: (_queued, why) => told.refused.push(`${name} ${why}`),
  });
  const names = new Map<Queued, string>();
  /** @param flow a number; with hands of one queue, flows of different hashes rarely share a queue */
  const come = (name: string, flow = 1, width = 1, holder?: string) => {
    const queued = queues.enqueue(waiting(name, width, holder), flow);
    if (typeof queued === "object") names.set(queued, name);
    return queued;
  };
  /** Admits waiting requests in turn, each of which takes a second, until none waits. @returns their names in order */
  const serve = (most = 1000, seconds = 1): string[] => {
    const order: string[] = [];
    while (order.length < most) {
      const queued = queues.next();
      if (queued === undefined) return order;
      order.push(names.get(queued) ?? "");
      queues.finish(queued.waiting.width, queued.queue, seconds);
    }
    return order;
  };
  return { clock, queues, told, room, come, serve };
}

/** Two flows with different queues. */
const [ONE, OTHER] = [1, 2];

describe("seats", () => {
  test("seats are granted at once while some are free and the queue is empty", () => {
    const { queues, come } = start({ limit: 3 });
    expect([queues.tryTake(2), queues.tryTake(2), queues.tryTake(1)]).toEqual([true, false, true]);
    come("waits");
    queues.finish(2, undefined, 1);
    expect(queues.tryTake(1)).toBe(false);
  });

  test("are never all one holder's: whoever comes next finds some, though he came last", () => {
    const { queues, come } = start({ limit: 10 });
    let taken = 0;
    while (queues.tryTake(1, "greedy")) taken += 1;
    expect(taken).toBe(8);
    const greedy = Array.from({ length: 5 }, (_, at) => come(`greedy-${at}`, ONE, 1, "greedy"));
    expect(queues.next()).toBeUndefined();
    const modest = come("modest", OTHER, 1, "modest");
    expect(queues.next()).toBe(modest);
    expect(queues.next()).toBeUndefined();
    queues.finish(1, undefined, 1, "greedy");
    queues.finish(1, undefined, 1, "greedy");
    expect(queues.next()).toBe(greedy[0]);
  });

  test("one flow gets few seats while the event loop is busy and other flows arrive", () => {
    let isBusy = true;
    const { queues, come } = start({ limit: 100, isLoopBusy: () => isBusy });
    expect(queues.tryTake(1, "early")).toBe(true);
    let taken = 0;
    while (queues.tryTake(1, "greedy")) taken += 1;
    expect(taken).toBe(16);
    expect([queues.tryTake(1, "modest"), queues.tryTake(20, "wide"), queues.tryTake(1, "wide")]).toEqual([
      true,
      true,
      false,
    ]);
    const greedy = Array.from({ length: 50 }, (_, at) => come(`greedy-${at}`, ONE, 1, "greedy"));
    expect(queues.next()).toBeUndefined();
    queues.finish(1, undefined, 1, "greedy");
    expect([queues.next(), queues.next()]).toEqual([greedy[0], undefined]);
    isBusy = false;
    expect(queues.next()).toBe(greedy[1]);
  });

  test("a single flow is not limited although the event loop is busy, and again some time after another flow came", () => {
    const { queues, clock } = start({ limit: 100, isLoopBusy: () => true });
    const takeAll = (): number => {
      let taken = 0;
      while (queues.tryTake(1, "greedy")) taken += 1;
      return taken;
    };
    expect(takeAll()).toBe(80);
    for (let count = 0; count < 80; count += 1) queues.finish(1, undefined, 1, "greedy");
    expect(queues.tryTake(1, "modest")).toBe(true);
    expect(takeAll()).toBe(16);
    clock.advance(5_000);
    expect(takeAll()).toBe(64);
  });

  test("are not denied to one who has none, however few there are", () => {
    const { queues } = start({ limit: 1 });
    expect([queues.tryTake(1, "a"), queues.tryTake(1, "b")]).toEqual([true, false]);
    queues.finish(1, undefined, 1, "a");
    expect(queues.tryTake(1, "b")).toBe(true);
  });

  test("that are given back are given to whoever waits", () => {
    const { queues, told, come, serve } = start();
    queues.tryTake(1);
    come("first");
    expect(serve()).toEqual([]);
    const before = told.ready;
    queues.finish(1, undefined, 1);
    expect(told.ready).toBeGreaterThan(before);
    expect(serve()).toEqual(["first"]);
    expect(queues.seatsInUse).toBe(0);
  });

  test("a request wider than the limit is granted when no other seat is taken", () => {
    const { queues, come, serve } = start({ limit: 4 });
    queues.tryTake(1);
    come("wide", ONE, 10);
    expect(serve()).toEqual([]);
    queues.finish(1, undefined, 1);
    expect(serve()).toEqual(["wide"]);
  });

  test("a wide request is not overtaken forever by narrow ones", () => {
    const { queues, come, serve } = start({ limit: 4 });
    queues.tryTake(1);
    come("wide", ONE, 4);
    expect(queues.tryTake(1)).toBe(false);
    queues.finish(1, undefined, 1);
    expect(serve()).toEqual(["wide"]);
  });

  test("a level without seats grants none", () => {
    const { queues, come, serve } = start({ limit: 0 });
    expect(queues.tryTake(1)).toBe(false);
    come("waits");
    expect(serve()).toEqual([]);
    queues.setLimit(1);
    expect(serve()).toEqual(["waits"]);
  });
});

describe("turns", () => {
  test("are taken by queues, not by requests: who comes behind a flood is next", () => {
    const { come, serve } = start();
    for (let at = 0; at < 50; at += 1) come("flood", ONE);
    expect(serve(5)).toHaveLength(5);
    come("quiet", OTHER);
    expect(serve(1)).toEqual(["quiet"]);
  });

  test("are as many for each of two that always have something waiting", () => {
    const { come, serve } = start();
    for (let at = 0; at < 40; at += 1) {
      come("a", ONE);
      come("b", OTHER);
    }
    const served = serve(20);
    expect(served.filter((name) => name === "a")).toHaveLength(10);
  });

  test("are fewer for those whose requests take longer or are wider: seats times time is shared", () => {
    const { queues, come } = start({ limit: 100 });
    for (let at = 0; at < 50; at += 1) {
      come("wide", ONE, 4);
      come("narrow", OTHER, 1);
    }
    const used = new Map<string, number>();
    for (let at = 0; at < 50; at += 1) {
      const queued = queues.next() as Queued;
      const { width } = queued.waiting;
      used.set(String(width), (used.get(String(width)) ?? 0) + width);
      queues.finish(width, queued.queue, 1);
    }
    expect(Math.abs((used.get("4") ?? 0) - (used.get("1") ?? 0))).toBeLessThanOrEqual(4);
  });

  test("are not saved up by those who were away", () => {
    const { come, serve } = start();
    for (let at = 0; at < 50; at += 1) come("busy", ONE);
    expect(serve(30)).toHaveLength(30);
    for (let at = 0; at < 10; at += 1) come("late", OTHER);
    const served = serve(10);
    expect(served.filter((name) => name === "late").length).toBeLessThanOrEqual(6);
  });
});

describe("waiting", () => {
  test("is bounded by queue and in all", () => {
    const { come } = start({ queuing: { ...QUEUES, lengthMax: 2 }, roomMax: 3 });
    const outcomes = [come("a"), come("b"), come("c"), come("d", OTHER), come("e", OTHER)];
    expect(outcomes.map((outcome) => (typeof outcome === "string" ? outcome : "queued"))).toEqual([
      ...["queued", "queued", "queue-full", "queued", "queue-full"],
    ]);
  });

  test("is not done where there are no queues", () => {
    const { queues, come } = start();
    queues.configure(1, undefined);
    expect(come("a")).toBe("concurrency-limit");
  });

  test("ends after its time, and not before", () => {
    const { clock, queues, told, room, come } = start({ waitMs: 1000 });
    queues.tryTake(1);
    come("early");
    clock.advance(600);
    come("late", OTHER);
    clock.advance(399);
    expect(told.refused).toEqual([]);
    clock.advance(1);
    expect(told.refused).toEqual(["early time-out"]);
    clock.advance(600);
    expect(told.refused).toEqual(["early time-out", "late time-out"]);
    expect([room.waiting, queues.waitingRequests, clock.waiting]).toEqual([0, 0, 0]);
  });

  test("ends for each once, though another one leaves because of it", () => {
    const { clock, queues, told, room, come } = start({ waitMs: 1000 });
    queues.tryTake(1);
    const leaving: Queued[] = [];
    const refuse = () => {
      for (const queued of leaving) queues.leave(queued);
    };
    queues.enqueue({ width: 1, about: () => ({}) as never, begin() {}, refuse }, ONE);
    leaving.push(come("leaves", ONE) as Queued);
    come("stays", OTHER);
    clock.advance(1000);
    expect(told.refused).toEqual(["stays time-out"]);
    expect([room.waiting, queues.waitingRequests, queues.waitingSeats, clock.waiting]).toEqual([0, 0, 0, 0]);
  });

  test("ends for some at a time, however many came at once", () => {
    const { clock, queues, told, come } = start({ waitMs: 1000 });
    queues.tryTake(1);
    for (let flow = 0; flow < 500; flow += 1) come(`${flow}`, flow);
    clock.advance(1000);
    expect(told.refused).toHaveLength(200);
    clock.advance(2);
    expect([told.refused.length, clock.waiting]).toEqual([500, 0]);
  });

  test("leaves nothing behind of those that have left", () => {
    const { clock, queues, room, come, serve } = start();
    queues.tryTake(1);
    const queued = Array.from({ length: 100 }, (_, at) => come("x", at)).filter((each) => typeof each === "object");
    for (const each of queued) {
      queues.leave(each);
      queues.leave(each);
    }
    queues.finish(1, undefined, 1);
    expect([serve(), room.waiting, queues.waitingSeats, queues.known(), clock.waiting]).toEqual([[], 0, 0, [], 0]);
  });

  test("goes on where it is when there are fewer queues, none, or more seats", () => {
    const { queues, come, serve } = start();
    queues.tryTake(1);
    for (let flow = 0; flow < 10; flow += 1) come(`${flow}`, flow);
    queues.configure(1, { queues: 1, handSize: 1, lengthMax: 50 });
    queues.configure(1, undefined);
    queues.configure(2, undefined);
    expect(serve()).toHaveLength(10);
  });

  test("in ten million queues takes memory only for those in use", () => {
    const { queues, come, serve } = start({ queuing: { queues: 10_000_000, handSize: 2, lengthMax: 50 } });
    queues.tryTake(1);
    for (let flow = 0; flow < 5000; flow += 1) come("x", flow);
    expect(queues.known().length).toBeLessThanOrEqual(5000);
    queues.finish(1, undefined, 1);
    expect(serve(10_000)).toHaveLength(5000);
    expect(queues.known().length).toBeLessThanOrEqual(64);
  });
});
