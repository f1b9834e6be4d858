import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Connection } from "./connection";
import { OpenConnections, SURPLUS_MAX } from "./open-connections";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

let port = 0;

class FakeSocket extends EventEmitter {
  destroyed = false;
  bytesRead = 0;
  readonly remotePort = ++port;
  readonly localAddress = "10.0.0.1";

  constructor(readonly remoteAddress: string | undefined) {
    super();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }

  destroySoon(): void {
    this.destroy();
  }
}

const closed: string[] = [];

function connections(bounds: { readonly max?: number; readonly maxPerAddress?: number } = {}): OpenConnections {
  closed.length = 0;
  return new OpenConnections({
    max: 1000,
    maxPerAddress: 0,
    maxStreams: 250,
    idleMs: 60_000,
    now: () => performance.now(),
    closed: (why) => closed.push(why),
    ...bounds,
  });
}

/** Adds an accepted connection after its handshake, from an address. */
function arrive(
  all: OpenConnections,
  address = "10.0.0.2",
): { readonly raw: FakeSocket; readonly connection: Connection } {
  const raw = new FakeSocket(address);
  all.accept(raw as unknown as Socket);
  all.secured(raw as unknown as TLSSocket);
  return { raw, connection: all.find(raw) as Connection };
}

test("a client that finds no room takes the place of the unauthenticated one that has been there for longest", () => {
  const all = connections({ max: 3 });
  const [first, second, third] = [arrive(all), arrive(all), arrive(all)];
  first.connection.recognize();
  const late = arrive(all);
  expect([first, second, third, late].map(({ raw }) => raw.destroyed)).toEqual([false, true, false, false]);
  expect([all.size, closed]).toEqual([3, ["room"]]);
});

test("an unauthenticated client that is being answered keeps the place, unless it takes long", () => {
  const all = connections({ max: 2 });
  const [probe, silent] = [arrive(all), arrive(all)];
  probe.connection.begin();
  arrive(all);
  expect([probe.raw.destroyed, silent.raw.destroyed]).toEqual([false, true]);
  jest.advanceTimersByTime(6000);
  arrive(all);
  expect(probe.raw.destroyed).toBe(true);
});

test("the authenticated connection that was idle for longest is replaced", () => {
  const all = connections({ max: 3 });
  const known = [arrive(all), arrive(all), arrive(all)];
  for (const { connection } of known) {
    connection.recognize();
    connection.begin();
  }
  for (const at of [2, 0]) {
    known[at]?.connection.end();
    jest.advanceTimersByTime(1000);
  }
  arrive(all);
  expect(known.map(({ raw }) => raw.destroyed)).toEqual([false, false, true]);
});

test("a bounded number of connections is accepted beyond the limit when no connection can be replaced", () => {
  const all = connections({ max: 2 });
  for (const { connection } of [arrive(all), arrive(all)]) {
    connection.recognize();
    connection.begin();
  }
  for (let at = 0; at < SURPLUS_MAX; at += 1) {
    const { connection } = arrive(all);
    expect(connection.surplus).toBe(true);
    connection.recognize();
    connection.begin();
  }
  const raw = new FakeSocket("10.0.0.2");
  all.accept(raw as unknown as Socket);
  expect([raw.destroyed, all.size]).toEqual([true, 2 + SURPLUS_MAX]);
});

test("connections that lead out of the server take room too", () => {
  const all = connections({ max: 3 });
  const first = arrive(all);
  all.outgoing = 2;
  arrive(all);
  expect(first.raw.destroyed).toBe(true);
});

test("a bound on one address leaves others alone, and is forgotten with its connections", () => {
  const all = connections({ maxPerAddress: 2 });
  const [first] = [arrive(all), arrive(all)];
  const third = new FakeSocket("10.0.0.2");
  all.accept(third as unknown as Socket);
  expect([third.destroyed, closed]).toEqual([true, ["address"]]);
  expect(arrive(all, "10.0.0.3").raw.destroyed).toBe(false);
  first?.raw.destroy();
  expect(arrive(all).raw.destroyed).toBe(false);
});

test("each is closed that is of no use: before the handshake, before the first request, and between requests", () => {
  const all = connections();
  const silent = new FakeSocket("10.0.0.2");
  all.accept(silent as unknown as Socket);
  const [unused, used, busy] = [arrive(all), arrive(all), arrive(all)];
  used.connection.begin();
  busy.connection.begin();
  used.connection.end();
  const ended = () => [silent, unused.raw, used.raw, busy.raw].map(({ destroyed }) => destroyed);
  jest.advanceTimersByTime(14_000);
  expect(ended()).toEqual([false, false, false, false]);
  jest.advanceTimersByTime(2000);
  expect(ended()).toEqual([true, false, false, false]);
  jest.advanceTimersByTime(15_000);
  expect(ended()).toEqual([true, true, false, false]);
  jest.advanceTimersByTime(30_000);
  expect(ended()).toEqual([true, true, true, false]);
  jest.advanceTimersByTime(3_600_000);
  expect(ended()).toEqual([true, true, true, false]);
  expect(closed).toEqual(["silence", "silence", "idleness"]);
});

test("a client of HTTP/2 that has gone quiet is asked for a sign of life, and closed without one", () => {
  const all = connections();
  const [mute, alive] = [arrive(all), arrive(all)];
  let asked = 0;
  for (const { connection, raw } of [mute, alive]) {
    connection.begin();
    const answers = raw === alive.raw;
    const ping = () => {
      asked += 1;
      if (answers) raw.bytesRead += 17;
    };
    Object.assign(connection, { session: { destroyed: false, ping, destroy() {} } });
  }
  jest.advanceTimersByTime(29_000);
  expect(asked).toBe(0);
  jest.advanceTimersByTime(3000);
  expect(asked).toBe(2);
  jest.advanceTimersByTime(15_000);
  expect([mute.raw.destroyed, alive.raw.destroyed]).toEqual([true, false]);
  jest.advanceTimersByTime(600_000);
  expect(alive.raw.destroyed).toBe(false);
});

test("one that has left before it is looked at leaves nothing", () => {
  const all = connections();
  const raw = new FakeSocket(undefined);
  all.accept(raw as unknown as Socket);
  expect([raw.destroyed, all.size]).toEqual([true, 0]);
});

test("a client that goes on asking and giving up is closed, one that gives up all that it has open is not", () => {
  const all = connections();
  const { connection, raw } = arrive(all);
  const giveUp = (count: number) => {
    for (let at = 0; at < count; at += 1) connection.abandoned();
  };
  giveUp(250);
  expect(raw.destroyed).toBe(false);
  jest.advanceTimersByTime(5000);
  giveUp(250);
  expect([raw.destroyed, closed]).toEqual([false, []]);
  giveUp(1);
  expect([raw.destroyed, closed]).toEqual([true, ["resets"]]);
});
