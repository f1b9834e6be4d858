import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { openStore, type Store, StoreError, type WatchHandlers } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Registry } from "../contract/registry";
import { createRegistry } from "../create-registry";
import { delivered, listing, readTexts, startRegistry, watching, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { createMany, createOne, recolor, removeOne } from "../testing/sample";
import { gadgets, widget, widgets } from "../testing/widgets";

let store: Store;
let writer: Registry;

beforeEach(async () => {
  ({ store, registry: writer } = await startRegistry());
});

afterEach(async () => {
  await writer.close();
  await store.close();
});

/**
 * A store that returns pages of two items, and copies of them without references to memory of this process, like a
 * remote store.
 */
class PagedStore extends LaggingStore {
  override readonly range: Store["range"];

  constructor(store: Store, betweenPages: () => unknown) {
    super(store);
    this.range = async (request) => {
      if ((request.revision ?? 0) > 0) betweenPages();
      const { items, ...rest } = await store.range({ ...request, limit: 2 });
      const copies = items.map(({ key, value, createRevision, modRevision, version, lease }) => ({
        ...{ key, value, createRevision, modRevision, version, lease },
      }));
      return { ...rest, items: copies };
    };
  }
}

async function namesIn(registry: Registry, definition: ResourceDefinition = widgets): Promise<string[]> {
  const { entries } = await registry.resource(definition).list(listing());
  return entries.map(({ name }) => name);
}

describe("a definition", () => {
  test("that arrives late finds its objects, from before and after this server's start", async () => {
    const before = await createMany(writer.resource(widgets), 3);
    const late = await startRegistry({ store });
    await createOne(writer.resource(widgets), "x-new");
    await removeOne(writer.resource(widgets), before[1] as string);
    await recolor(writer.resource(widgets), before[2] as string, "blue");
    await delivered();
    expect(await namesIn(late.registry)).toEqual([before[0], before[2], "x-new"]);
    const changed = await late.registry
      .resource(widgets)
      .get({ namespace: "default", name: before[2] as string }, { kind: "any" });
    expect(changed.field("spec.color")).toBe("blue");
    await late.registry.close();
  });

  test("that is named before the cache is filled is filled with it", async () => {
    const names = await createMany(writer.resource(widgets), 3);
    const early = createRegistry({ store, vocabulary: vocabularyOf("orch") });
    const storage = early.resource(widgets);
    await early.ready();
    expect((await storage.list(listing({ read: { kind: "any" } }))).entries.map(({ name }) => name)).toEqual(names);
    await early.close();
  });

  test("that is replaced, or not served any more, while the store is listed finds its objects", async () => {
    const names = await createMany(writer.resource(widgets), 5);
    const [v1] = widgets.versions as [typeof widgets.storage];
    const v3 = { ...v1, version: "v3", apiVersion: "test.example/v3" };
    const next: ResourceDefinition = { ...widgets, versions: [v1, v3], storage: v3 };
    for (const change of ["replaced", "released"]) {
      const registry = createRegistry({
        vocabulary: vocabularyOf("orch"),
        store: new PagedStore(store, () =>
          change === "replaced" ? registry.resource(next) : registry.release(widgets),
        ),
      });
      registry.resource(widgets);
      await registry.ready();
      expect(await namesIn(registry, next)).toEqual(names);
      const entry = await registry
        .resource(next)
        .get({ namespace: "default", name: names[0] as string }, { kind: "any" });
      const { apiVersion, metadata } = JSON.parse(entry.json(v3).toString());
      expect({ apiVersion, ...metadata }).toMatchObject({
        apiVersion: "test.example/v3",
        name: names[0],
        resourceVersion: String(entry.resourceVersion),
      });
      await registry.close();
    }
  });

  test("that is released and comes back in another form shows the same objects in it, and ends the former's watches", async () => {
    const names = await createMany(writer.resource(widgets), 3);
    const watcher = await writer.resource(widgets).watch(watching());
    const [v1] = widgets.versions as [typeof widgets.storage];
    const v3 = { ...v1, version: "v3", apiVersion: "test.example/v3" };
    const next: ResourceDefinition = { ...widgets, versions: [v1, v3], storage: v3 };
    const storage = writer.resource(next);
    expect((await readTexts(watcher, 4)).length).toBe(3);
    expect(watcher.ended).toBe("timeout");
    const entry = await storage.get({ namespace: "default", name: names[0] as string }, { kind: "mostRecent" });
    expect(JSON.parse(entry.json(v3).toString()).apiVersion).toBe("test.example/v3");
    writer.release(next);
    await createOne(writer.resource(widgets), "z");
    expect(await namesIn(writer)).toEqual([...names, "z"]);
  });

  test("is counted with its objects and watches", async () => {
    await createMany(writer.resource(widgets), 3);
    const watcher = await writer.resource(widgets).watch(watching());
    expect(writer.caches()).toMatchObject([{ definition: widgets, objects: 3, watchers: 1 }]);
    watcher.close();
    expect(writer.caches()).toMatchObject([{ objects: 3, watchers: 0 }]);
  });

  test("sees nothing of its neighbours", async () => {
    await createMany(writer.resource(widgets), 3);
    const things = writer.resource(gadgets);
    await things.create(
      { metadata: { name: "g" } },
      { namespace: "", name: "" },
      writing({ version: gadgets.storage }),
    );
    expect(await namesIn(writer, gadgets)).toEqual(["g"]);
    expect((await namesIn(writer)).length).toBe(3);
  });
});

describe("values", () => {
  test("that are large lie compressed in the store and are served whole", async () => {
    const filler = "text ".repeat(200_000);
    await createOne(writer.resource(widgets), "big", widget("big", { spec: { filler } }));
    const { items } = await store.range({ start: "/registry/test.example/widgets/default/big" });
    expect(items[0]?.value.length).toBeLessThan(10_000);
    const other = await startRegistry({ store });
    const entry = await other.registry
      .resource(widgets)
      .get({ namespace: "default", name: "big" }, { kind: "mostRecent" });
    expect(entry.object()).toMatchObject({ spec: { filler } });
    await other.registry.close();
  });
});

/** Returns a server whose watch of the store the test can end. */
async function interruptedServer(clock: ManualClock) {
  const link = new LaggingStore(store);
  const cuts: ((error: StoreError) => void)[] = [];
  const open = link.watch.bind(link);
  link.watch = (request, handlers) => {
    let isCut = false;
    const ended: WatchHandlers["ended"] = (reason) => {
      if (!isCut) handlers.ended(reason);
      isCut = true;
    };
    const watch = open(request, { ...handlers, ended, batch: (batch) => (isCut ? undefined : handlers.batch(batch)) });
    cuts.push((error) => {
      ended(error);
      watch.close();
    });
    return watch;
  };
  const { registry } = await startRegistry({ store: link, clock });
  return {
    registry,
    storage: registry.resource(widgets),
    watches: () => cuts.length,
    end: (code: StoreError["code"]) => cuts.at(-1)?.(new StoreError(code, "test")),
  };
}

describe("when the watch of the store ends", () => {
  test("it is resumed from the last change, and watches of objects notice nothing", async () => {
    const clock = new ManualClock();
    const server = await interruptedServer(clock);
    const a = await createOne(writer.resource(widgets), "a");
    const watcher = await server.storage.watch(watching());
    expect(await readTexts(watcher, 1)).toEqual([`ADDED a@${a}`]);
    server.end("internal");
    expect(server.registry.health()).toMatchObject({ synced: true, connected: false, lastError: "test" });
    const b = await recolor(writer.resource(widgets), "a", "blue");
    const c = await removeOne(writer.resource(widgets), "a");
    clock.advance(1_000);
    expect(await readTexts(watcher, 2)).toEqual([`MODIFIED a@${b}`, `DELETED a@${c}`]);
    expect(server.registry.health()).toMatchObject({ connected: true, lastError: undefined });
    await server.registry.close();
  });

  test("because history is gone, everything is listed again", async () => {
    const clock = new ManualClock();
    const server = await interruptedServer(clock);
    const watcher = await server.storage.watch(watching({ start: { kind: "any" } }));
    server.end("compacted");
    await createMany(writer.resource(widgets), 2);
    clock.advance(1_000);
    expect(await readTexts(watcher, 1)).toEqual(["ERROR 410"]);
    expect((await namesIn(server.registry)).length).toBe(2);
    await server.registry.close();
  });

  test("again and again without a change, everything is listed again", async () => {
    const clock = new ManualClock();
    const server = await interruptedServer(clock);
    for (let n = 0; n < 6; n += 1) {
      server.end("internal");
      clock.advance(5_000);
      await delivered();
    }
    await createMany(writer.resource(widgets), 2);
    await delivered();
    expect((await namesIn(server.registry)).length).toBe(2);
    expect(server.watches()).toBe(7);
    await server.registry.close();
  });
});

test("a server that cannot list the store at first tries until it can", async () => {
  const clock = new ManualClock();
  const link = new LaggingStore(await openStore({ kind: "memory" }));
  let reachable = false;
  const range = link.range;
  const flaky = Object.assign(link, {
    range: (...call: Parameters<Store["range"]>) =>
      reachable ? range(...call) : Promise.reject(new StoreError("unavailable", "nobody there")),
  });
  const registry = createRegistry({ store: flaky, clock, vocabulary: vocabularyOf("orch") });
  await delivered();
  expect(registry.health()).toMatchObject({ synced: false, connected: false, lastError: "nobody there" });
  reachable = true;
  clock.advance(1_000);
  await registry.ready();
  expect(registry.health().synced).toBe(true);
  await registry.close();
});
