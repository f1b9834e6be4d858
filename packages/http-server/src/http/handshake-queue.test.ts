import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { HandshakeQueue } from "./handshake-queue";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Time for which a handshake with a silent client counts as work. */
const WORKS_FOR_MS = 2;

/** Interval in which an idle loop is noticed. */
const LOOKS_EVERY_MS = 1;
/** Time that a busy loop has for other work after each handshake. */
const RESTS_FOR_MS = 3;
const look = (): void => void jest.advanceTimersByTime(LOOKS_EVERY_MS);

class FakeSocket extends EventEmitter {
  destroyed = false;

  constructor(
    readonly name: string,
    readonly remoteAddress: string,
  ) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function turns(isBusy = () => false): {
  readonly begun: string[];
  come(address: string, count: number): FakeSocket[];
  over(raw: FakeSocket): void;
} {
  const begun: string[] = [];
  const all = new HandshakeQueue((raw) => void begun.push((raw as unknown as FakeSocket).name), isBusy);
  return {
    begun,
    come: (address, count) =>
      Array.from({ length: count }, (_, at) => {
        const raw = new FakeSocket(`${address}-${at}`, address);
        all.await(raw as unknown as Socket);
        return raw;
      }),
    over: (raw) => all.over(raw as unknown as Socket),
  };
}

test("one begins when the one before is through, has failed or has left", () => {
  const { begun, come, over } = turns();
  const [first, second] = come("a", 10) as [FakeSocket, FakeSocket];
  expect(begun).toHaveLength(1);
  over(first);
  over(first);
  look();
  expect(begun).toHaveLength(2);
  over(first);
  second.destroy();
  look();
  expect(begun).toHaveLength(3);
});

test("a handshake starts at once when none is in progress", () => {
  const { begun, come, over } = turns();
  for (const address of ["a", "b", "a"]) {
    over(come(address, 1)[0] as FakeSocket);
    look();
  }
  expect(begun).toHaveLength(3);
});

test("while the loop has other work, it has three times as long for it as for a handshake", () => {
  let busy = true;
  const { begun, come, over } = turns(() => busy);
  const all = come("a", 4);
  over(all[0] as FakeSocket);
  for (let looks = 1; looks < RESTS_FOR_MS / LOOKS_EVERY_MS; looks += 1) look();
  // A new connection has to wait too.
  come("b", 1);
  expect(begun).toEqual(["a-0"]);
  look();
  expect(begun).toEqual(["a-0", "a-1"]);
  over(all[1] as FakeSocket);
  busy = false;
  look();
  expect(begun).toEqual(["a-0", "a-1", "b-0"]);
});

test("clients that stop in the handshake delay no others", () => {
  const { begun, come } = turns();
  come("a", 3);
  jest.advanceTimersByTime(WORKS_FOR_MS);
  look();
  expect(begun).toHaveLength(2);
  jest.advanceTimersByTime(WORKS_FOR_MS);
  look();
  expect(begun).toHaveLength(3);
});

test("addresses have turns, however many connections each brings", () => {
  const { begun, come } = turns();
  come("a", 100);
  come("b", 2);
  come("c", 1);
  for (let at = 0; at < 5; at += 1) {
    jest.advanceTimersByTime(WORKS_FOR_MS);
    look();
  }
  expect(begun).toEqual(["a-0", "a-1", "b-0", "c-0", "a-2", "b-1"]);
});

test("a connection closed in the queue gets no turn", () => {
  const { begun, come, over } = turns();
  const all = come("a", 4);
  for (const raw of all.slice(1, 3)) raw.destroy();
  over(all[0] as FakeSocket);
  look();
  expect(begun).toEqual(["a-0", "a-3"]);
});
