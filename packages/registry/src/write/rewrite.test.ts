// Objects whose stored form is outdated, and their conversion to the present form.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { WatchEvent } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { encrypted, providersUnder } from "../testing/encrypted";
import { delivered, eventText, listing, readEvents, startRegistry, watching, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { convertedWidgets, OddConverter, CONVERTED_V1 as V1, CONVERTED_V2 as V2 } from "../testing/odd-converter";
import { createOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

const KEYS = "/registry/test.example/widgets/";
const at = (name: string) => ({ namespace: "default", name });

let store: Store;
let opened: Registry[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  opened = [];
});
afterEach(async () => {
  for (const registry of opened) await registry.close();
  await store.close();
});

async function serving(definition: ResourceDefinition, over: Store = store) {
  const { registry } = await startRegistry({ store: over });
  opened.push(registry);
  return registry.resource(definition);
}

const itemOf = async (name: string) => {
  const [item] = (await store.range({ start: `${KEYS}default/${name}` })).items;
  return item as NonNullable<typeof item>;
};
/** Returns the name of the key with which the object is encrypted. */
const keyOf = async (name: string) =>
  /^orch:enc:aesgcm:v1:(\w+):/.exec((await itemOf(name)).value.toString("latin1"))?.[1];
const inStore = async (name: string) => JSON.parse((await itemOf(name)).value.toString()) as JsonObject;

async function allOutdated(storage: ResourceStorage): Promise<readonly string[]> {
  await delivered();
  const names: string[] = [];
  for (let after = "", isEnd = false; !isEnd; ) {
    const search = await storage.outdated?.(after);
    if (search === undefined) throw new Error("no objects are stored");
    ({ after, isEnd } = search);
    if (search.found !== undefined) names.push(search.found.name);
  }
  return names;
}

test("objects in a former storage version are rewritten in the current one, and watchers receive the change", async () => {
  const former = await serving(convertedWidgets(new OddConverter(), V1));
  for (const name of ["a", "b"]) await createOne(former, name);
  const present = await serving(convertedWidgets(new OddConverter(), V2));
  const c = { ...widget("c", { spec: { colour: "blue" } }), apiVersion: V2.apiVersion };
  await present.create(c, at(""), writing({ version: V2 }));
  expect(await allOutdated(present)).toEqual(["a", "b"]);

  const before = await present.get(at("a"), { kind: "mostRecent" });
  await present.prepare?.([before], V2);
  const shown = JSON.parse(before.json(V2).toString());
  const watcher = await present.watch(watching({ version: V2, changesOnly: true }));
  expect(await present.rewrite?.(at("a"))).toBe(true);
  const { apiVersion, spec, metadata } = await inStore("a");
  expect({ apiVersion, spec, metadata }).toEqual({
    apiVersion: V2.apiVersion,
    spec: { colour: "red", size: 1 },
    metadata: { ...shown.metadata, resourceVersion: undefined },
  });
  const { modRevision } = await itemOf("a");
  const [event] = (await readEvents(watcher, 1)) as [WatchEvent];
  expect(eventText(event, V2)).toBe(`MODIFIED a@${modRevision}`);
  watcher.close();

  expect(await allOutdated(present)).toEqual(["b"]);
  expect(await present.rewrite?.(at("a"))).toBe(false);
  expect((await itemOf("a")).modRevision).toBe(modRevision);
});

test("an object that has become invalid is rewritten", async () => {
  const { validate: _, ...lax } = widgets.strategy;
  const [, , second] = widgets.versions;
  if (second === undefined) throw new Error("there is no other version");
  const former = await serving({ ...widgets, storage: second, strategy: lax });
  await createOne(former, "a", widget("a", { spec: { color: "forbidden" } }));
  const present = await serving(widgets);
  expect(await allOutdated(present)).toEqual(["a"]);
  expect(await present.rewrite?.(at("a"))).toBe(true);
  expect(await inStore("a")).toMatchObject({ apiVersion: "test.example/v1", spec: { color: "forbidden" } });
});

test("values under a former key, or none, are found, and a write that changes nothing puts them right", async () => {
  const former = await serving(widgets, encrypted(store, ["old"]));
  for (const name of ["a", "b"]) await createOne(former, name);
  const present = await serving(widgets, encrypted(store, ["new", "old"]));
  await createOne(present, "c");
  expect(await allOutdated(present)).toEqual(["a", "b"]);
  expect(await present.rewrite?.(at("a"))).toBe(true);

  const same = (await present.get(at("b"), { kind: "mostRecent" })).object();
  const { entry } = await present.update(same, at("b"), writing());
  expect((await itemOf("b")).modRevision).toBe(entry.resourceVersion);
  expect(await Promise.all(["a", "b", "c"].map(keyOf))).toEqual(["new", "new", "new"]);

  expect(await allOutdated(present)).toEqual([]);
  const again = await present.update(entry.object(), at("b"), writing());
  expect(again.entry.resourceVersion).toBe(entry.resourceVersion);
});

test("a key that goes out of use while the server runs is known to be former at once", async () => {
  const over = encrypted(store, ["old"]);
  const storage = await serving(widgets, over);
  for (const name of ["a", "b", "c"]) await createOne(storage, name);
  expect(await allOutdated(storage)).toEqual([]);

  over.use(providersUnder(["new", "old"]));
  expect(await allOutdated(storage)).toEqual(["a", "b", "c"]);
  expect(await storage.rewrite?.(at("a"))).toBe(true);
  const same = (await storage.get(at("b"), { kind: "any" })).object();
  await storage.update(same, at("b"), writing());
  expect(await Promise.all(["a", "b", "c"].map(keyOf))).toEqual(["new", "new", "old"]);
  expect(await allOutdated(storage)).toEqual(["c"]);

  over.use(providersUnder(["", "new", "old"]));
  expect(await allOutdated(storage)).toEqual(["a", "b", "c"]);
  expect(await storage.rewrite?.(at("c"))).toBe(true);
  expect(await inStore("c")).toMatchObject({ kind: "Widget" });
});

test("an object without a decryption key is unreadable until the key is available", async () => {
  await createOne(await serving(widgets, encrypted(store, ["lost"])), "a");
  const over = encrypted(store, ["new"]);
  const storage = await serving(widgets, over);
  await createOne(storage, "b");
  const names = async () => (await storage.list(listing())).entries.map(({ name }) => name);
  expect([await names(), storage.unreadable("")]).toEqual([["b"], { count: 1, paths: ["default/a"] }]);
  await expect(storage.get(at("a"), { kind: "mostRecent" })).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining('"default/a" cannot be read: no matching prefix found'),
  });
  await expect(storage.rewrite?.(at("a"))).rejects.toMatchObject({ code: 500 });
  expect(await allOutdated(storage)).toEqual([]);

  const watcher = await storage.watch(watching({ changesOnly: true }));
  over.use(providersUnder(["new", "lost"]));
  expect((await readEvents(watcher, 1)).map((event) => eventText(event))).toEqual(["ERROR 410"]);
  expect(await names()).toEqual(["a", "b"]);
  expect(await allOutdated(storage)).toEqual(["a"]);
});

test("a key that is former stays so for what another definition of the resource takes over", async () => {
  await createOne(await serving(widgets, encrypted(store, ["old"])), "a");
  const { registry } = await startRegistry({ store: encrypted(store, ["new", "old"]) });
  opened.push(registry);
  registry.resource(widgets);
  const { renew, ...next } = { ...widgets, renew: (object: JsonObject) => object };
  expect(await allOutdated(registry.resource(next))).toEqual(["a"]);
  expect(await allOutdated(registry.resource({ ...next, renew }))).toEqual(["a"]);
  registry.release({ ...next, renew });
  expect(await allOutdated(registry.resource(widgets))).toEqual(["a"]);
});

test("a write that comes in between is neither lost nor undone", async () => {
  const lagging = new LaggingStore(store);
  await createOne(await serving(convertedWidgets(new OddConverter(), V1)), "a");
  const definition = convertedWidgets(new OddConverter(), V2);
  const [here, there] = [await serving(definition, lagging), await serving(definition)];
  lagging.hold();
  const { entry } = await there.update(
    { ...widget("a", { spec: { colour: "green" } }), apiVersion: V2.apiVersion },
    at("a"),
    writing({ version: V2 }),
  );
  // The cache of this server still holds the former object.
  expect(here.peek(at("a"))?.resourceVersion).toBeLessThan(entry.resourceVersion);
  expect(await here.rewrite?.(at("a"))).toBe(false);
  expect([(await itemOf("a")).modRevision, (await inStore("a"))["spec"]]).toEqual([
    entry.resourceVersion,
    { colour: "green", size: 1 },
  ]);
});

test("a search looks at so many at a time, and goes on behind what is gone by then", async () => {
  const former = await serving(widgets, encrypted(store, ["old"]));
  for (const name of ["a", "b", "c", "d"]) await createOne(former, name);
  const present = await serving(widgets, encrypted(store, ["new", "old"]));
  const first = await present.outdated?.("");
  expect(first).toEqual({ looked: 1, after: "default/a", found: at("a"), isEnd: false });
  await present.delete(at("a"), {}, writing());
  await present.delete(at("b"), {}, writing());
  await delivered();
  expect(await present.outdated?.("default/a")).toMatchObject({ found: at("c") });
  expect(await present.outdated?.("default/d")).toEqual({
    looked: 0,
    after: "default/d",
    found: undefined,
    isEnd: true,
  });
  expect((await present.list(listing())).entries.length).toBe(2);
});
