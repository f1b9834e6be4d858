import { expect, test } from "@jest/globals";
import { expired } from "@orch/machinery";
import { openStore } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import type { PartEvent, SeveralWatcher, SharedWatch } from "../contract/several-resources";
import { delivered, eventText, startRegistry, V1, writing } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";

const KINDS = ["widgets", "gadgets", "gears"].map((plural) => ({ ...widgets, plural }));

const SHARED: SharedWatch = {
  start: { kind: "mostRecent" },
  sendInitialEvents: false,
  bookmarks: false,
  timeoutMs: 3_600_000,
};

const served = (registry: Registry): ResourceStorage[] => KINDS.map((definition) => registry.resource(definition));

const watchAll = (registry: Registry, storages: readonly ResourceStorage[], more: Partial<SharedWatch> = {}) =>
  registry.watchTogether(
    storages.map((storage) => ({ storage, namespace: "", selection: {}, version: V1 })),
    { ...SHARED, ...more },
  );

async function put(storage: ResourceStorage, name: string): Promise<number> {
  const { entry } = await storage.create(widget(name), { namespace: "default", name: "" }, writing());
  return entry.resourceVersion;
}

/** Reads until there are `count` events, or the watch has ended. */
async function read(watcher: SeveralWatcher, count: number, max = 10): Promise<PartEvent[]> {
  const events: PartEvent[] = [];
  for (;;) {
    const readable = new Promise<void>((resolve) => watcher.onReadable(resolve));
    for (let some = watcher.take(max); some.length > 0; some = watcher.take(max)) events.push(...some);
    if (events.length >= count || watcher.ended !== undefined) return events;
    await readable;
  }
}

/** `1 ADDED a@5` with the index of the resource, and ` .` when a client can resume there. */
const text = ({ part, event, reached }: PartEvent): string =>
  `${part ?? "-"} ${eventText(event)}${reached === undefined ? "" : ` .${reached}`}`;

test("the initial states come first, of one revision, and the bookmark ends them", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const [one, two, three] = storages as [ResourceStorage, ResourceStorage, ResourceStorage];
  const b = await put(two, "b");
  const a = await put(one, "a");
  await delivered();
  const watcher = await watchAll(registry, storages, { sendInitialEvents: true, bookmarks: true });
  const c = await put(three, "c");
  expect((await read(watcher, 4, 1)).map(text)).toEqual([
    `0 ADDED a@${a}`,
    `1 ADDED b@${b}`,
    `- BOOKMARK ${a} .${a}`,
    `2 ADDED c@${c} .${c}`,
  ]);
  watcher.close();
  await registry.close();
});

test("without a bookmark, the last initial event can be resumed from", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const a = await put(storages[0] as ResourceStorage, "a");
  const b = await put(storages[1] as ResourceStorage, "b");
  await delivered();
  const watcher = await watchAll(registry, storages);
  expect((await read(watcher, 2)).map(text)).toEqual([`0 ADDED a@${a}`, `1 ADDED b@${b} .${b}`]);
  watcher.close();
  await registry.close();
});

test("only the last event of a revision can be resumed from", async () => {
  const { store, registry } = await startRegistry();
  const storages = served(registry);
  const watcher = await watchAll(registry, storages, { changesOnly: true });
  const keyOf = (plural: string) => `/registry/test.example/${plural}/default/x`;
  const value = Buffer.from(JSON.stringify(widget("x")));
  const { revision } = await store.txn({
    compare: [],
    then: KINDS.map(({ plural }) => ({ kind: "put" as const, key: keyOf(plural), value })),
    else: [],
  });
  expect((await read(watcher, 3, 1)).map(text)).toEqual([
    `0 ADDED x@${revision}`,
    `1 ADDED x@${revision}`,
    `2 ADDED x@${revision} .${revision}`,
  ]);
  watcher.close();
  await registry.close();
});

test("a watch from a former revision continues in the order of revisions, also from the history of the store", async () => {
  const store = await openStore({ kind: "memory" });
  const { registry: former } = await startRegistry({ store });
  const storages = served(former);
  const start = await put(storages[0] as ResourceStorage, "start");
  const expected: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    const part = at % 3;
    const name = `o${at}`;
    const revision = await put(storages[part] as ResourceStorage, name);
    expected.push(`${part} ADDED ${name}@${revision} .${revision}`);
  }
  await delivered();
  const { registry: later } = await startRegistry({ store });
  for (const [registry, of] of [
    [former, storages],
    [later, served(later)],
  ] as const) {
    const watcher = await watchAll(registry, of, { start: { kind: "exact", resourceVersion: start } });
    expect((await read(watcher, 60, 7)).map(text)).toEqual(expected);
    watcher.close();
  }
  await former.close();
  await later.close();
});

test("no event is lost for a client that resumes wherever it may, while objects change", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const seen: string[] = [];
  const written: string[] = [];
  let from = await put(storages[0] as ResourceStorage, "start");
  await delivered();
  for (let round = 0; round < 40; round += 1) {
    const watcher = await watchAll(registry, storages, { start: { kind: "exact", resourceVersion: from } });
    const some = await Promise.all(
      [0, 1, 2, 3].map(async (at) => {
        const part = (round * 7 + at * at) % 3;
        const name = `o${round}-${at}`;
        return { part, name, revision: await put(storages[part] as ResourceStorage, name) };
      }),
    );
    written.push(
      ...some
        .sort((one, other) => one.revision - other.revision)
        .map(({ part, name, revision }) => `${part} ADDED ${name}@${revision}`),
    );
    await delivered();
    // The client loses its connection after a part of the events.
    const waiting: string[] = [];
    for (const { part, event, reached } of watcher.take(1 + (round % 4))) {
      waiting.push(`${part} ${eventText(event)}`);
      if (reached === undefined) continue;
      from = reached;
      seen.push(...waiting.splice(0));
    }
    watcher.close();
  }
  const last = await watchAll(registry, storages, { start: { kind: "exact", resourceVersion: from } });
  for (const { part, event } of await read(last, written.length - seen.length))
    seen.push(`${part} ${eventText(event)}`);
  expect(seen).toEqual(written);
  last.close();
  await registry.close();
});

test("bookmarks tell the revision of the cache, every minute and before the end", async () => {
  const clock = new ManualClock();
  const { registry } = await startRegistry({ clock });
  const storages = served(registry);
  const watcher = await watchAll(registry, storages, { bookmarks: true, changesOnly: true, timeoutMs: 90_000 });
  const a = await put(storages[2] as ResourceStorage, "a");
  expect((await read(watcher, 1)).map(text)).toEqual([`2 ADDED a@${a} .${a}`]);
  clock.advance(60_000);
  expect((await read(watcher, 1)).map(text)).toEqual([`- BOOKMARK ${a} .${a}`]);
  const b = await put(storages[1] as ResourceStorage, "b");
  expect((await read(watcher, 1)).map(text)).toEqual([`1 ADDED b@${b} .${b}`]);
  clock.advance(28_000);
  expect((await read(watcher, 1)).map(text)).toEqual([`- BOOKMARK ${b} .${b}`]);
  expect(watcher.ended).toBeUndefined();
  clock.advance(2_000);
  expect((await read(watcher, 1)).map(text)).toEqual([`- BOOKMARK ${b} .${b}`]);
  expect(watcher.ended).toBe("timeout");
  expect(clock.waiting).toBe(1); // the tick of the cache, which finds no watcher
  await registry.close();
});

test("a client that does not read is cut off when its events have left the window", async () => {
  const clock = new ManualClock();
  const { registry } = await startRegistry({ clock });
  const storages = served(registry);
  const watcher = await watchAll(registry, storages, { changesOnly: true });
  for (let at = 0; at < 140; at += 1) await put(storages[0] as ResourceStorage, `o${at}`);
  // The window keeps changes of the last 75 seconds.
  clock.advance(80_000);
  for (let at = 200; at < 600; at += 1) await put(storages[0] as ResourceStorage, `o${at}`);
  await delivered();
  clock.advance(80_000);
  for (let at = 600; at < 1000; at += 1) await put(storages[0] as ResourceStorage, `o${at}`);
  await delivered();
  clock.advance(1_000);
  expect(watcher.ended).toBe("tooSlow");
  await registry.close();
});

test("the end of one resource ends the watch: with an error when it is no longer served", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const watcher = await watchAll(registry, storages, { changesOnly: true });
  registry.release(KINDS[1] as (typeof KINDS)[number]);
  expect((await read(watcher, 1)).map(text)).toEqual(["1 ERROR 404"]);
  expect(watcher.ended).toBe("error");
  await registry.close();
});

test("another definition of one resource ends the watch, after a bookmark from which it continues", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const a = await put(storages[0] as ResourceStorage, "a");
  await delivered();
  const watcher = await watchAll(registry, storages, { changesOnly: true, bookmarks: true });
  registry.resource({ ...(KINDS[1] as (typeof KINDS)[number]) });
  expect((await read(watcher, 1)).map(text)).toEqual([`- BOOKMARK ${a} .${a}`]);
  expect(watcher.ended).toBe("timeout");
  await registry.close();
});

test("a compacted revision is an error, and nothing follows it", async () => {
  const store = await openStore({ kind: "memory" });
  const { registry: former } = await startRegistry({ store });
  const storages = served(former);
  const first = await put(storages[0] as ResourceStorage, "a");
  const last = await put(storages[1] as ResourceStorage, "b");
  await store.compact(last);
  const { registry } = await startRegistry({ store });
  const watcher = await watchAll(registry, served(registry), { start: { kind: "exact", resourceVersion: first } });
  const events = (await read(watcher, 1)).map(text);
  expect(events.at(-1)).toMatch(/ERROR 410$/);
  expect(events).toHaveLength(1);
  expect(watcher.ended).toBe("error");
  await former.close();
  await registry.close();
});

test("an error of the client's stream is the last event, of no resource", async () => {
  const { registry } = await startRegistry();
  const storages = served(registry);
  const watcher = await watchAll(registry, storages);
  watcher.fail(expired("broken"));
  expect((await read(watcher, 1)).map(text)).toEqual(["- ERROR 410"]);
  await registry.close();
});

test("resources of different stores are refused", async () => {
  const other = await openStore({ kind: "memory" });
  const { registry } = await startRegistry({ storeOf: ({ resource }) => (resource === "gears" ? other : undefined) });
  await expect(watchAll(registry, served(registry))).rejects.toMatchObject({
    reason: "BadRequest",
    message: expect.stringMatching(/gears\.test\.example and widgets\.test\.example are in different stores/),
  });
  await registry.close();
});
