// Every valid cell of the tables in the Kubernetes API concepts, "Resource versions", for get and list. Invalid
// combinations are rejected when the options are parsed.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { GetSemantics, ReadSemantics } from "@orch/machinery";
import { openStore, type Store } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { ListRequest } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { delivered, listing, startRegistry } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { createMany, createOne, recolor, removeOne } from "../testing/sample";
import { widgets } from "../testing/widgets";

const MOST_RECENT: GetSemantics = { kind: "mostRecent" };
const ANY: GetSemantics = { kind: "any" };
const exact = (resourceVersion: number): ReadSemantics => ({ kind: "exact", resourceVersion });
const notOlderThan = (resourceVersion: number): GetSemantics => ({ kind: "notOlderThan", resourceVersion });

async function laggingRegistry(store: Store, clock: ManualClock) {
  const lagging = new LaggingStore(store);
  const { registry } = await startRegistry({ store: lagging, clock });
  return { registry, storage: registry.resource(widgets), hold: () => lagging.hold(), letGo: () => lagging.letGo() };
}

let store: Store;
let writer: Registry;
let written: ResourceStorage;
let clock: ManualClock;
let reader: Awaited<ReturnType<typeof laggingRegistry>>;
let oldRevision: number;
let newRevision: number;
const at = { namespace: "default", name: "a" };
const shownBy = async (read: GetSemantics) => (await reader.storage.get(at, read)).resourceVersion;
const listed = async (read: ReadSemantics, more: Partial<ListRequest> = {}) => {
  const { resourceVersion, entries } = await reader.storage.list(listing({ read, ...more }));
  return { resourceVersion, items: entries.map((entry) => entry.resourceVersion) };
};

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  clock = new ManualClock();
  ({ registry: writer } = await startRegistry({ store }));
  written = writer.resource(widgets);
  oldRevision = await createOne(written, "a");
  reader = await laggingRegistry(store, clock);
  reader.hold();
  newRevision = await recolor(written, "a", "blue");
});

afterEach(async () => {
  await reader.registry.close();
  await writer.close();
  await store.close();
});

describe("get by a server that lags behind the store", () => {
  test("Most Recent waits until it has caught up", async () => {
    const read = shownBy(MOST_RECENT);
    await delivered();
    reader.letGo();
    expect(await read).toBe(newRevision);
  });

  test("Most Recent reads the store when catching up takes too long", async () => {
    const read = shownBy(MOST_RECENT);
    await delivered();
    clock.advance(3_000);
    expect(await read).toBe(newRevision);
  });

  test("Any answers at once with what there is", async () => expect(await shownBy(ANY)).toBe(oldRevision));

  test("Not older than a version that it has answers at once", async () =>
    expect(await shownBy(notOlderThan(oldRevision))).toBe(oldRevision));

  test("Not older than a newer version waits for it", async () => {
    const read = shownBy(notOlderThan(newRevision));
    await delivered();
    reader.letGo();
    expect(await read).toBe(newRevision);
  });

  test("a version that does not come to exist is 504 Too large resource version after 3 s", async () => {
    const read = shownBy(notOlderThan(newRevision + 10));
    await delivered();
    clock.advance(3_000);
    await expect(read).rejects.toMatchObject({
      reason: "Timeout",
      code: 504,
      message: `Timeout: Too large resource version: ${newRevision + 10}, current: ${newRevision}`,
      details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
    });
  });

  test("one that is there by then is waited for, and not refused", async () => {
    const read = shownBy(notOlderThan(newRevision + 1));
    await delivered();
    const next = await recolor(written, "a", "green");
    reader.letGo();
    await delivered();
    expect(await read).toBe(next);
  });
});

describe("list by a server that lags behind the store", () => {
  test.each<[string, Partial<ListRequest>]>([
    ["unset, limit unset", {}],
    ["unset, limit set", { limit: 5 }],
  ])("%s, rv unset: Most Recent", async (_cell, more) => {
    const list = listed(MOST_RECENT, more);
    await delivered();
    reader.letGo();
    expect(await list).toEqual({ resourceVersion: newRevision, items: [newRevision] });
  });

  test.each([0, 5])("rv 0, limit %i: Any", async (limit) =>
    expect(await listed(ANY, { limit })).toEqual({ resourceVersion: oldRevision, items: [oldRevision] }),
  );

  test.each([0, 5])("Not older than a version, limit %i: at least that one", async (limit) => {
    expect((await listed(notOlderThan(oldRevision), { limit })).resourceVersion).toBeGreaterThanOrEqual(oldRevision);
    const list = listed(notOlderThan(newRevision), { limit });
    await delivered();
    reader.letGo();
    expect((await list).resourceVersion).toBeGreaterThanOrEqual(newRevision);
  });

  test.each([0, 5])("Exact, limit %i: that version, whatever came later", async (limit) => {
    reader.letGo();
    await delivered();
    expect(await listed(exact(oldRevision), { limit })).toEqual({ resourceVersion: oldRevision, items: [oldRevision] });
    expect(await listed(exact(newRevision), { limit })).toEqual({ resourceVersion: newRevision, items: [newRevision] });
  });

  test("Exact at a version before this server started comes from the store", async () => {
    const late = await startRegistry({ store });
    const { entries, resourceVersion } = await late.registry
      .resource(widgets)
      .list(listing({ read: exact(oldRevision) }));
    expect([resourceVersion, entries[0]?.resourceVersion]).toEqual([oldRevision, oldRevision]);
    await late.registry.close();
  });

  test("Exact at a compacted version is 410", async () => {
    await store.compact(newRevision);
    const late = await startRegistry({ store });
    await expect(
      late.registry.resource(widgets).list(listing({ read: exact(oldRevision), limit: 5 })),
    ).rejects.toMatchObject({
      reason: "Expired",
      code: 410,
      message: "The resourceVersion for the provided list is too old.",
    });
    await late.registry.close();
  });

  test("Exact at a version that does not come to exist is 504", async () => {
    const list = listed(exact(newRevision + 10));
    await delivered();
    clock.advance(3_000);
    await expect(list).rejects.toMatchObject({
      code: 504,
      message: expect.stringContaining("Too large resource version"),
    });
  });

  test("Most Recent reads the store when catching up takes too long, and its chunks agree", async () => {
    reader.letGo();
    await delivered();
    reader.hold();
    const names = await createMany(written, 7);
    const first = reader.storage.list(listing({ limit: 5 }));
    await delivered();
    clock.advance(3_000);
    const { entries, continueToken, remainingItemCount, resourceVersion } = await first;
    expect(remainingItemCount).toBe(3);
    await removeOne(written, names[6] as string);
    const rest = reader.storage.list(listing({ limit: 5, continueToken }));
    await delivered();
    clock.advance(3_000);
    const last = await rest;
    expect(last.resourceVersion).toBe(resourceVersion);
    expect([...entries, ...last.entries].map(({ name }) => name)).toEqual(["a", ...names]);
    expect(last.continueToken).toBe("");
  });
});

test("nothing waits, and no store is asked, for a client that has left", async () => {
  const stop = new AbortController();
  const { signal } = stop;
  let asked = 0;
  const { range } = store;
  const start = () => [
    reader.storage.get(at, notOlderThan(newRevision), { signal }),
    reader.storage.list(listing({ read: exact(newRevision) }), { signal }),
  ];
  const waiting = [...start(), reader.storage.get(at, MOST_RECENT, { signal })];
  await delivered();
  store.range = (...of) => {
    asked += 1;
    return range.apply(store, of);
  };
  stop.abort();
  const late = await Promise.allSettled([...waiting, ...start()]);
  expect(late.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  expect(asked).toBe(0);
  store.range = range;
});

test("a store that is gone fails Most Recent with a retry, and leaves Any as it was", async () => {
  const broken = await startRegistry({ store: await openStore({ kind: "memory" }) });
  const storage = broken.registry.resource(widgets);
  await createOne(storage, "a");
  await delivered();
  await broken.store.close();
  await expect(storage.get(at, MOST_RECENT)).rejects.toMatchObject({ code: 503 });
  expect((await storage.get(at, ANY)).name).toBe("a");
  await delivered();
  expect(broken.registry.health()).toMatchObject({ synced: true, connected: false });
  await broken.registry.close();
});
