import type { Http2Session, Http2Stream } from "node:http2";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { StreamScheduler } from "./stream-scheduler";

const WAITING_MAX = 20;
let abandoned = 0;
let overrun = 0;
let begun: number[] = [];

beforeEach(() => {
  abandoned = 0;
  overrun = 0;
  begun = [];
});

/** Starts the remaining requests of this test before the next one. */
afterEach(async () => {
  for (let turns = 0; turns < 10; turns += 1) await turn();
});

const options = {
  waitingMax: WAITING_MAX,
  abandoned() {
    abandoned += 1;
  },
  overrun() {
    overrun += 1;
  },
};
const session = (): Http2Session => ({}) as Http2Session;
const stream = (closed = false): Http2Stream => ({ closed, destroyed: false }) as Http2Stream;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

function come(to: Http2Session, count: number): Http2Stream[] {
  const turns = StreamScheduler.of(to, options);
  return numbers(count).map((at) => {
    const one = stream();
    turns.take(one, () => void begun.push(at));
    return one;
  });
}

test("requests that come one by one are begun when they come", async () => {
  const one = session();
  for (const at of numbers(30)) {
    come(one, 1);
    expect(begun).toHaveLength(at + 1);
    await turn();
    await turn();
  }
});

test("a part of many concurrent streams starts in each turn, in order", async () => {
  come(session(), 20);
  const parts = [begun.length];
  while (begun.length < 20) {
    await turn();
    parts.push(begun.length);
  }
  expect(begun).toEqual(numbers(20));
  expect(parts[0]).toBe(8);
  expect(Math.max(...parts.map((sum, at) => sum - (parts[at - 1] ?? 0)))).toBe(8);
});

test("connections do not wait for each other", () => {
  come(session(), 20);
  come(session(), 5);
  expect(begun).toHaveLength(8 + 5);
});

test("queued streams of many connections start round-robin", async () => {
  const sessions = numbers(12).map(session);
  const of: number[] = [];
  for (const [at, one] of sessions.entries()) {
    const turns = StreamScheduler.of(one, options);
    for (let count = 0; count < 24; count += 1) turns.take(stream(), () => void of.push(at));
  }
  const atOnce = of.length;
  const parts: number[] = [];
  for (let before = atOnce; before < 12 * 24; before = of.length) {
    await turn();
    parts.push(of.length - before);
  }
  expect([atOnce, Math.max(...parts)]).toEqual([12 * 8, 32]);
  // Each connection has had its first turn before any has its second.
  expect(new Set(of.slice(atOnce, atOnce + 12 * 8)).size).toBe(12);
});

test("a stream reset in the queue is not started and is counted", async () => {
  const streams = come(session(), 20);
  for (const each of streams) Object.assign(each, { closed: true });
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect([begun.length, abandoned]).toEqual([8, 12]);
});

test("more than can be open at once is told, and forgotten", async () => {
  come(session(), 8 + WAITING_MAX + 1);
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect([begun.length, overrun]).toEqual([8, 1]);
});
