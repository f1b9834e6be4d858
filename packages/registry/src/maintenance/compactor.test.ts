import { expect, test } from "@jest/globals";
import { silentLog } from "@orch/platform";
import { openStore, type Store, StoreError } from "@orch/store";
import { ManualClock } from "@orch/testing";
import { delivered } from "../testing/harness";
import { startCompactor } from "./compactor";

const INTERVAL_MS = 5 * 60_000;

/** Returns a store that records the revisions of compactions. */
async function watchedStore(): Promise<{ store: Store; compactions: number[] }> {
  const store = await openStore({ kind: "memory" });
  const compactions: number[] = [];
  const compact = store.compact.bind(store);
  store.compact = async (revision, options) => {
    compactions.push(revision);
    await compact(revision, options);
  };
  return { store, compactions };
}

async function put(store: Store, key: string): Promise<number> {
  const { revision } = await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from("x") }] });
  return revision;
}

test("two servers compact once a round, to the newest revision of the round before", async () => {
  const { store, compactions } = await watchedStore();
  const clock = new ManualClock();
  const compactors = [0, 1].map(() => startCompactor({ store, clock, log: silentLog, intervalMs: INTERVAL_MS }));
  await delivered();
  const newestAtRounds: number[] = [(await store.status()).revision];
  for (let round = 0; round < 4; round += 1) {
    await put(store, `/registry/a/${round}`);
    clock.advance(INTERVAL_MS);
    await delivered();
    newestAtRounds.push((await store.status()).revision);
  }
  expect(compactions).toEqual(newestAtRounds.slice(0, 4));
  for (const compactor of compactors) compactor.stop();
});

test("history of one interval stays readable, older is gone", async () => {
  const { store } = await watchedStore();
  const clock = new ManualClock();
  const compactor = startCompactor({ store, clock, log: silentLog, intervalMs: 1_000 });
  await delivered();
  const revisions: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    revisions.push(await put(store, "/registry/a"));
    clock.advance(1_000);
    await delivered();
  }
  const [first, , third] = revisions as [number, number, number];
  await expect(store.range({ start: "/registry/a", revision: first })).rejects.toMatchObject({ code: "compacted" });
  expect((await store.range({ start: "/registry/a", revision: third })).count).toBe(1);
  compactor.stop();
});

test("an interval of 0 turns it off, and a stopped one stays off", async () => {
  const { store, compactions } = await watchedStore();
  const clock = new ManualClock();
  startCompactor({ store, clock, log: silentLog, intervalMs: 0 });
  startCompactor({ store, clock, log: silentLog, intervalMs: 10 }).stop();
  await put(store, "/registry/a");
  for (let round = 0; round < 3; round += 1) {
    clock.advance(10_000);
    await delivered();
  }
  expect(compactions).toEqual([]);
});

test("a store that is full and takes no writes still forgets, and goes on in turn when it has room", async () => {
  const { store, compactions } = await watchedStore();
  const clock = new ManualClock();
  const compactor = startCompactor({ store, clock, log: silentLog, intervalMs: 1_000 });
  await delivered();
  const txn = store.txn.bind(store);
  const before = await put(store, "/registry/a");
  clock.advance(1_000);
  await delivered();
  const known = (await store.status()).revision;
  expect(known).toBe(before + 1);

  store.txn = async () => {
    throw new StoreError("full", "no space");
  };
  clock.advance(1_000);
  await delivered();
  expect(compactions.at(-1)).toBe(known);

  store.txn = txn;
  const later = await put(store, "/registry/a");
  clock.advance(1_000);
  await delivered();
  clock.advance(1_000);
  await delivered();
  expect(compactions.at(-1)).toBe(later + 1);
  compactor.stop();
});

test("each round reports whether it was done, by this server or by another one", async () => {
  const { store } = await watchedStore();
  const clock = new ManualClock();
  const results: string[] = [];
  const compactors = ["a", "b"].map((name) =>
    startCompactor({
      ...{ store, clock, log: silentLog, intervalMs: INTERVAL_MS },
      observe: (result) => results.push(`${name} ${result}`),
    }),
  );
  await delivered();
  expect(results.sort()).toEqual(["a done", "b done"]);
  store.txn = () => Promise.reject(new StoreError("unavailable", "away"));
  clock.advance(INTERVAL_MS);
  await delivered();
  expect(results.slice(2).sort()).toEqual(["a failed", "b failed"]);
  for (const compactor of compactors) compactor.stop();
});
