// The watch semantics of the Kubernetes API concepts, "Resource versions", and the guarantees of the event stream.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Store, StoreError } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Selection, WatchRequest } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { delivered, eventText, readEvents, readTexts, startRegistry, watching, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { createMany, createOne, recolor, removeOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  ({ store, registry } = await startRegistry({ clock }));
  storage = registry.resource(widgets);
});

afterEach(() => registry.close());

const exact = (resourceVersion: number) => ({ kind: "exact", resourceVersion }) as const;
const open = (more: Partial<WatchRequest>, of = storage) => of.watch(watching(more));

/** Returns a server that starts now, with a history that it has not seen. */
async function freshServer(parts: object = {}) {
  const fresh = await startRegistry({ store, ...parts });
  return { storage: fresh.registry.resource(widgets), close: () => fresh.registry.close() };
}

describe("a watch starts", () => {
  test.each<[string, Partial<WatchRequest>]>([
    ["a state and goes on", { start: { kind: "any" } }],
    ["a state, asked for with its end marked,", { start: { kind: "any" }, sendInitialEvents: true, bookmarks: true }],
    ["the newest state", { start: { kind: "mostRecent" } }],
    ["changes from now on", { start: { kind: "any" }, changesOnly: true }],
  ])("with %s without a gap, whatever comes between its steps", async (_what, request) => {
    // Makes a change after each number of steps of the start: before it, after it, and between any two steps.
    for (let steps = 0; steps < 60; steps += 1) {
      const known = (await storage.list({ namespace: "", read: { kind: "any" }, selection: {}, limit: 0 })).entries;
      const starting = open(request);
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      const revision = await createOne(storage, `w${steps}`);
      const watcher = await starting;
      const last = await createOne(storage, `z${steps}`);
      const seen: string[] = [];
      while (!seen.includes(`ADDED z${steps}@${last}`)) seen.push(...(await readTexts(watcher, 1)));
      const later = seen.filter(
        (text) => !known.some(({ name }) => text.includes(` ${name}@`)) && text.startsWith("ADDED"),
      );
      const expected = [`ADDED w${steps}@${revision}`, `ADDED z${steps}@${last}`];
      // Only a watch that begins with changes may begin after the first object.
      if (request.changesOnly === true) expect(expected).toEqual(expect.arrayContaining(later));
      else expect(later).toEqual(expected);
      watcher.close();
    }
  });

  test("Get State and Start at Most Recent: with all that the store holds, even if this server lags", async () => {
    const lagging = new LaggingStore(store);
    const { storage: behind, close } = await freshServer({ store: lagging });
    lagging.hold();
    const a = await createOne(storage, "a");
    const starting = open({}, behind);
    await delivered();
    lagging.letGo();
    const watcher = await starting;
    const b = await createOne(storage, "b");
    expect(await readTexts(watcher, 2)).toEqual([`ADDED a@${a}`, `ADDED b@${b}`]);
    await close();
  });

  test("Get State and Start at Any: with what this server holds, then what follows", async () => {
    const a = await createOne(storage, "a");
    const lagging = new LaggingStore(store);
    const { storage: behind, close } = await freshServer({ store: lagging });
    lagging.hold();
    const b = await createOne(storage, "b");
    const watcher = await open({ start: { kind: "any" } }, behind);
    expect(await readTexts(watcher, 1)).toEqual([`ADDED a@${a}`]);
    lagging.letGo();
    expect(await readTexts(watcher, 1)).toEqual([`ADDED b@${b}`]);
    await close();
  });

  test("Start at Exact: without state, with every change after that version", async () => {
    await createOne(storage, "a");
    const from = await createOne(storage, "b");
    const changed = await recolor(storage, "a", "blue");
    const removed = await removeOne(storage, "b");
    await delivered();
    const watcher = await open({ start: exact(from) });
    expect(await readTexts(watcher, 2)).toEqual([`MODIFIED a@${changed}`, `DELETED b@${removed}`]);
    const again = await createOne(storage, "b");
    expect(await readTexts(watcher, 1)).toEqual([`ADDED b@${again}`]);
  });

  test("Start at Exact in the future: nothing until then, no error", async () => {
    const now = await createOne(storage, "a");
    const watcher = await open({ start: exact(now + 2) });
    expect(watcher.take(10)).toEqual([]);
    await recolor(storage, "a", "one");
    await recolor(storage, "a", "two");
    const third = await recolor(storage, "a", "three");
    expect(await readTexts(watcher, 1)).toEqual([`MODIFIED a@${third}`]);
  });

  test("with changes only: no state even without a version", async () => {
    await createOne(storage, "a");
    const watcher = await open({ changesOnly: true });
    const b = await createOne(storage, "b");
    expect(await readTexts(watcher, 1)).toEqual([`ADDED b@${b}`]);
  });
});

describe("a watch at Most Recent on a server that lags", () => {
  test("waits longer than a list would, and then begins", async () => {
    const lagging = new LaggingStore(store);
    const { storage: behind, close } = await freshServer({ store: lagging, clock });
    lagging.hold();
    const a = await createOne(storage, "a");
    const starting = open({}, behind);
    await delivered();
    clock.advance(3_000);
    await delivered();
    clock.advance(50_000);
    lagging.letGo();
    expect(await readTexts(await starting, 1)).toEqual([`ADDED a@${a}`]);
    await close();
  });

  test("is told Timeout when it has waited as long as it may", async () => {
    const lagging = new LaggingStore(store);
    const { storage: behind, close } = await freshServer({ store: lagging, clock });
    lagging.hold();
    await createOne(storage, "a");
    const refused = expect(open({ timeoutMs: 10_000 }, behind)).rejects.toMatchObject({ reason: "Timeout", code: 504 });
    for (const waitedMs of [3_000, 7_000]) {
      await delivered();
      clock.advance(waitedMs);
    }
    await refused;
    await close();
  });

  test("is told ServerTimeout when it is the store that does not answer", async () => {
    const failing = new LaggingStore(store);
    const { storage: cutOff, close } = await freshServer({ store: failing, clock });
    const range = () => Promise.reject(new StoreError("unavailable", "no endpoint answers"));
    Object.assign(failing, { range });
    await expect(open({}, cutOff)).rejects.toMatchObject({ reason: "ServerTimeout" });
    await close();
  });
});

describe("a watch from before this server's start", () => {
  test("sees every change once, in order, then goes on live", async () => {
    const from = await createOne(storage, "a");
    const expected = [
      `MODIFIED a@${await recolor(storage, "a", "blue")}`,
      `ADDED b@${await createOne(storage, "b")}`,
      `DELETED a@${await removeOne(storage, "a")}`,
      `ADDED a@${await createOne(storage, "a")}`,
      `MODIFIED b@${await recolor(storage, "b", "blue")}`,
    ];
    const { storage: fresh, close } = await freshServer();
    const watcher = await open({ start: exact(from) }, fresh);
    expect(await readTexts(watcher, 5)).toEqual(expected);
    const last = await removeOne(storage, "b");
    expect(await readTexts(watcher, 1)).toEqual([`DELETED b@${last}`]);
    // A second watch starts in the middle of the history that has been read.
    const second = await open({ start: exact(Number(expected[1]?.split("@")[1])) }, fresh);
    expect(await readTexts(second, 4)).toEqual([...expected.slice(2), `DELETED b@${last}`]);
    await close();
  });

  test("shows deletions and transitions with the content from before", async () => {
    await createOne(storage, "a", widget("a", { spec: { color: "red" } }));
    const from = await createOne(storage, "b", widget("b", { spec: { color: "red" } }));
    const left = await recolor(storage, "a", "blue");
    const gone = await removeOne(storage, "b");
    const { storage: fresh, close } = await freshServer();
    const selection: Selection = { fields: [{ field: "spec.color", operator: "=", value: "red" }] };
    const events = await readEvents(await open({ start: exact(from), selection }, fresh), 2);
    expect(events.map((event) => JSON.parse(event.frame(widgets.storage).toString()))).toMatchObject([
      { type: "DELETED", object: { metadata: { name: "a", resourceVersion: String(left) }, spec: { color: "red" } } },
      { type: "DELETED", object: { metadata: { name: "b", resourceVersion: String(gone) }, spec: { color: "red" } } },
    ]);
    await close();
  });

  test("spans many pieces of history", async () => {
    const from = await createOne(storage, "a");
    const revisions: number[] = [];
    // The objects are written directly into the store, because the cost of a registry write is not tested here.
    const { items } = await store.range({ start: "/registry/", end: "/registry0" });
    const { key, value } = items.find((item) => item.modRevision === from) ?? { key: "", value: Buffer.alloc(0) };
    for (let n = 0; n < 12_000; n += 1) {
      revisions.push((await store.txn({ compare: [], then: [{ kind: "put", key, value }] })).revision);
    }
    const { storage: fresh, close } = await freshServer();
    const watchers = await Promise.all([0, 1].map(() => open({ start: exact(from) }, fresh)));
    for (const watcher of watchers) {
      const seen = (await readEvents(watcher, revisions.length)).map(({ resourceVersion }) => resourceVersion);
      expect(seen).toEqual(revisions);
    }
    await close();
  });

  test("ends with ERROR 410 when the store has compacted it", async () => {
    const from = await createOne(storage, "a");
    await recolor(storage, "a", "blue");
    await store.compact(await recolor(storage, "a", "green"));
    const { storage: fresh, close } = await freshServer();
    const watcher = await open({ start: exact(from) }, fresh);
    const [event] = await readEvents(watcher, 1);
    expect(JSON.parse(event?.frame(widgets.storage).toString() ?? "")).toMatchObject({
      type: "ERROR",
      object: {
        kind: "Status",
        code: 410,
        reason: "Expired",
        message: expect.stringContaining("too old resource version"),
      },
    });
    expect(watcher.ended).toBe("error");
    await close();
  });
});

describe("a selecting watch", () => {
  const red: Selection = { fields: [{ field: "spec.color", operator: "=", value: "red" }] };
  const labelled: Selection = { labels: (labels) => labels["app"] === "x" };

  test("sees objects come and go as they match", async () => {
    const watcher = await open({ selection: red });
    const created = await createOne(storage, "a");
    const left = await recolor(storage, "a", "blue");
    await recolor(storage, "a", "green");
    const back = await recolor(storage, "a", "red");
    const stays = await recolor(storage, "a", "red", { extra: 1 });
    const gone = await removeOne(storage, "a");
    await createOne(storage, "b", widget("b", { spec: { color: "blue" } }));
    const events = await readEvents(watcher, 5);
    expect(events.map((event) => eventText(event))).toEqual([
      `ADDED a@${created}`,
      `DELETED a@${left}`,
      `ADDED a@${back}`,
      `MODIFIED a@${stays}`,
      `DELETED a@${gone}`,
    ]);
    const left1 = JSON.parse(events[1]?.frame(widgets.storage).toString() ?? "");
    expect(left1.object.spec.color).toBe("red");
    expect(watcher.take(10)).toEqual([]);
  });

  test("is told only of what may concern it", async () => {
    const inNamespace = await open({ namespace: "other" });
    const ofOne = await open({
      namespace: "default",
      selection: { fields: [{ field: "metadata.name", operator: "=", value: "b" }] },
    });
    const byLabel = await open({ selection: labelled });
    let told = 0;
    for (const watcher of [inNamespace, ofOne]) {
      watcher.take(10);
      watcher.onReadable(() => (told += 1));
    }
    const a = await createOne(storage, "a", widget("a", { labels: { app: "x" } }));
    await delivered();
    expect(told).toBe(0);
    const b = await createOne(storage, "b");
    const other = await storage.create(widget("c"), { namespace: "other", name: "" }, writing());
    await delivered();
    expect(told).toBe(2);
    expect(await readTexts(ofOne, 1)).toEqual([`ADDED b@${b}`]);
    expect(await readTexts(inNamespace, 1)).toEqual([`ADDED c@${other.entry.resourceVersion}`]);
    expect(await readTexts(byLabel, 1)).toEqual([`ADDED a@${a}`]);
  });
});

test("the observer receives the number of initial objects", async () => {
  await createMany(storage, 3);
  const told: unknown[] = [];
  const counted = await freshServer({
    observer: { watchPrimed: (resource: string, objects: number) => told.push([resource, objects]) },
  });
  await open({}, counted.storage);
  await open({ start: exact(1) }, counted.storage);
  expect(told).toEqual([["widgets.test.example", 3]]);
  await counted.close();
});

describe("a streaming list", () => {
  test("is the state, a bookmark that marks its end, then what follows", async () => {
    const names = await createMany(storage, 25);
    const watcher = await open({ sendInitialEvents: true, bookmarks: true });
    const events = await readEvents(watcher, 26);
    expect(events.slice(0, 25).map((event) => eventText(event).split("@")[0])).toEqual(
      names.map((name) => `ADDED ${name}`),
    );
    const { revision } = registry.health();
    expect(JSON.parse(events[25]?.frame(widgets.storage).toString() ?? "")).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "Widget",
        apiVersion: "test.example/v1",
        metadata: { resourceVersion: String(revision), annotations: { "orch.io/initial-events-end": "true" } },
      },
    });
    const next = await createOne(storage, "z");
    expect(await readTexts(watcher, 1)).toEqual([`ADDED z@${next}`]);
  });

  test("from an exact version is of a state not older", async () => {
    const revision = await createOne(storage, "a");
    const watcher = await open({ sendInitialEvents: true, start: exact(revision) });
    expect(await readTexts(watcher, 1)).toEqual([`ADDED a@${revision}`]);
  });

  test("has no mark for who wants no bookmarks", async () => {
    await createOne(storage, "a");
    const watcher = await open({ sendInitialEvents: true });
    const removed = await removeOne(storage, "a");
    expect((await readTexts(watcher, 2)).at(-1)).toBe(`DELETED a@${removed}`);
  });

  test("holds the state of its start, however slowly it is read", async () => {
    await createMany(storage, 30);
    const watcher = await open({ sendInitialEvents: true });
    const first = watcher.take(5).map((event) => eventText(event).split("@")[0]);
    const gone = await removeOne(storage, "w0020");
    const rest = await readTexts(watcher, 26);
    expect(first.length + rest.length).toBe(31);
    expect(rest.some((text) => text.startsWith("ADDED w0020"))).toBe(true);
    expect(rest.at(-1)).toBe(`DELETED w0020@${gone}`);
  });
});

describe("time", () => {
  test("brings a bookmark a minute and one before the end, only to those who want them", async () => {
    const wanting = await open({ bookmarks: true, timeoutMs: 150_000 });
    const silent = await open({ timeoutMs: 150_000 });
    expect(silent.take(10)).toEqual([]);
    const bookmarks: string[] = [];
    for (let second = 0; second < 151; second += 1) {
      if (second === 30) await storage.create(widget("a"), { namespace: "x", name: "" }, writing());
      await delivered();
      clock.advance(1_000);
      for (const event of wanting.take(10)) bookmarks.push(`${second + 1}: ${eventText(event)}`);
    }
    const { revision } = registry.health();
    expect(bookmarks).toEqual([
      `31: ADDED a@${revision}`,
      `60: BOOKMARK ${revision}`,
      `120: BOOKMARK ${revision}`,
      `148: BOOKMARK ${revision}`,
    ]);
    expect(wanting.ended).toBe("timeout");
    expect(silent.take(10).map((event) => eventText(event))).toEqual([`ADDED a@${revision}`]);
    expect(silent.take(10)).toEqual([]);
    expect(silent.ended).toBe("timeout");
  });

  test.each([7_200_000, -3_600_000])("ends a watch when it is over, though the date is set by %d ms", async (byMs) => {
    const watcher = await open({ bookmarks: true, timeoutMs: 150_000 });
    expect(watcher.take(10)).toEqual([]);
    clock.step(byMs);
    clock.advance(59_000);
    expect(watcher.take(10)).toEqual([]);
    clock.advance(1_000);
    expect(watcher.take(10).map((event) => eventText(event))).toEqual([`BOOKMARK ${registry.health().revision}`]);
    clock.advance(88_000);
    expect(watcher.take(10)).toHaveLength(1);
    expect(watcher.ended).toBeUndefined();
    clock.advance(3_000);
    watcher.take(10);
    expect(watcher.ended).toBe("timeout");
  });

  test("ends a watch only after what it has not read yet", async () => {
    const watcher = await open({ timeoutMs: 1_000 });
    expect(watcher.take(10)).toEqual([]);
    const names = await createMany(storage, 3);
    await delivered();
    clock.advance(2_000);
    expect(watcher.ended).toBeUndefined();
    expect((await readTexts(watcher, 3)).length).toBe(names.length);
    watcher.take(10);
    expect(watcher.ended).toBe("timeout");
  });
});

test("a piece of a watch is bounded by its bytes as well, and holds one event at least", async () => {
  for (const name of ["a", "b", "c"])
    await createOne(storage, name, widget(name, { spec: { filler: "x".repeat(1000) } }));
  const initial = await open({});
  expect([1, 1, 1500, 1500].map((bytesMax) => initial.take(10, bytesMax).length)).toEqual([1, 1, 1, 0]);
  const live = await open({ changesOnly: true });
  for (const color of ["one", "two", "three"]) await recolor(storage, "a", color.repeat(300));
  await delivered();
  expect([1, 1500, 1].map((bytesMax) => live.take(10, bytesMax).length)).toEqual([1, 2, 0]);
});

test("one that does not read is ended some time after its own time is up", async () => {
  await createMany(storage, 3);
  const inState = await open({ timeoutMs: 60_000 });
  const behind = await open({ timeoutMs: 60_000, changesOnly: true });
  expect(inState.take(1)).toHaveLength(1);
  await createOne(storage, "a");
  await delivered();
  clock.advance(70_000);
  expect([inState.ended, behind.ended]).toEqual([undefined, undefined]);
  clock.advance(30_000);
  expect([inState.ended, behind.ended]).toEqual(["tooSlow", "tooSlow"]);
});

test("one that does not read is ended when the window has passed it; one that has read all is not", async () => {
  const slow = await open({});
  const idle = await open({ namespace: "quiet" });
  idle.take(10);
  await createOne(storage, "a", widget("a", { spec: { filler: "x".repeat(1_000_000) } }));
  await delivered();
  for (let n = 0; n < 20; n += 1) await recolor(storage, "a", "x".repeat(1_000_000 + n));
  await delivered();
  expect(slow.take(10)).toEqual([]);
  expect(slow.ended).toBe("tooSlow");
  expect(idle.ended).toBeUndefined();
});

test("changes that were missed for good end a watch with 410, and the list after it is right", async () => {
  const a = await createOne(storage, "a");
  const watcher = await open({});
  expect(await readTexts(watcher, 1)).toEqual([`ADDED a@${a}`]);
  const handlers: { ended(reason: unknown): void }[] = [];
  const failing = new LaggingStore(store);
  const watchStore = failing.watch.bind(failing);
  failing.watch = (request, given) => {
    handlers.push(given as { ended(reason: unknown): void });
    return watchStore(request, given);
  };
  const { storage: other, close } = await freshServer({ store: failing, clock });
  const cut = await open({ start: { kind: "any" } }, other);
  expect(await readTexts(cut, 1)).toEqual([`ADDED a@${a}`]);
  failing.hold();
  const b = await createOne(storage, "b");
  handlers[0]?.ended(new StoreError("compacted", "gone"));
  clock.advance(1_000);
  expect(await readTexts(cut, 1)).toEqual(["ERROR 410"]);
  expect(cut.ended).toBe("error");
  expect((await other.get({ namespace: "default", name: "b" }, { kind: "any" })).resourceVersion).toBe(b);
  await close();
});

test("a closed watch gives nothing more", async () => {
  const watcher = await open({});
  watcher.close();
  await createOne(storage, "a");
  await delivered();
  expect(watcher.take(10)).toEqual([]);
  expect(watcher.ended).toBe("closed");
});
