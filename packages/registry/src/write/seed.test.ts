// Objects that the server itself creates: stored in the same form as by a create, once, whichever server is first, and
// never over an existing object.

import { expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { openStore } from "@orch/store";
import { createRegistry } from "../create-registry";
import { delivered, readTexts, startRegistry, V1, watching, writing } from "../testing/harness";
import { gadgets, widget, widgets, widgetsInV2 } from "../testing/widgets";
import { preparedSeeds } from "./prepared-seeds";

const WRITER = writing({ version: V1, user: { name: "system:apiserver", groups: [] }, manager: "orch-apiserver" });
const KEY = { namespace: "default", name: "made" };
const made = () => {
  const object = widget(KEY.name, { labels: { app: "x" }, spec: { color: "blue" } });
  object["metadata"] = { ...(object["metadata"] as object), namespace: KEY.namespace };
  return object;
};
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const clockAt = (ms: number) => ({ now: () => ms, elapsed: () => 0, after: () => () => {} });

async function storedBy(make: "create" | "seed", definition: ResourceDefinition) {
  const bytes = new Uint8Array(16).fill(7);
  const { registry } = await startRegistry({ clock: clockAt(NOW), randomness: () => bytes });
  const storage = registry.resource(definition);
  const writer = { ...WRITER, version: definition.storage };
  const object = { ...made(), kind: definition.kind, apiVersion: definition.storage.apiVersion };
  if (make === "seed") await storage.seed(object, writer);
  else await storage.create(object, { ...KEY, name: "" }, writing(writer));
  await delivered();
  const namespace = definition.scope === "Namespaced" ? KEY.namespace : "";
  return storage.peek({ namespace, name: KEY.name })?.stored().toString();
}

test.each([
  ["in the version of the rules", widgets],
  ["in another version", widgetsInV2],
  ["of what is built in", { ...widgets, builtInKey: "of these tests" }],
  ["of it in another version", { ...widgetsInV2, builtInKey: "of these tests" }],
])("a seed stored %s equals a created object, repeatedly", async (_case, definition) => {
  const created = await storedBy("create", definition);
  expect(created).toContain('"creationTimestamp":"2026-01-02T03:04:05Z"');
  expect(created).toContain('"managedFields"');
  expect(await storedBy("seed", definition)).toBe(created);
  expect(await storedBy("seed", definition)).toBe(created);
});

test("built-in seeds are prepared once per process", async () => {
  const builtInKey = "made ready once";
  const made = () => preparedSeeds()[`seeds ${builtInKey}`];
  const first = await storedBy("seed", { ...widgets, builtInKey });
  const ready = made();
  expect(JSON.parse(ready ?? "[]")).toHaveLength(1);
  expect(ready).not.toContain("2026-01-02T03:04:05Z");
  expect(await storedBy("seed", { ...widgets, builtInKey })).toBe(first);
  expect(made()).toBe(ready);
});

test("each of several registries gives it a uid and the time of its own making", async () => {
  const kept = [];
  for (const at of [NOW, NOW + 60_000]) {
    const { registry } = await startRegistry({ clock: clockAt(at) });
    const storage = registry.resource(widgets);
    expect(await storage.seed(made(), WRITER)).toBeUndefined();
    await delivered();
    kept.push(storage.peek(KEY));
  }
  expect(kept.map((entry) => entry?.metadata("creationTimestamp"))).toEqual([
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:05:05Z",
  ]);
  expect(new Set(kept.map((entry) => entry?.metadata("uid"))).size).toBe(2);
});

test("an existing object is kept and returned although the cache does not have it yet", async () => {
  const store = await openStore({ kind: "memory" });
  const registries = [createRegistry, createRegistry].map((create) =>
    create({ store, vocabulary: vocabularyOf("orch") }),
  );
  await Promise.all(registries.map((registry) => registry.ready()));
  const storages = registries.map((registry) => registry.resource(widgets));
  const found = await Promise.all(storages.map((storage) => storage.seed(made(), WRITER)));
  const [first, second] = found;
  expect(first).toBeUndefined();
  expect(second?.name).toBe(KEY.name);
  await delivered();
  expect(storages.map((storage) => storage.peek(KEY)?.resourceVersion)).toEqual([
    second?.resourceVersion,
    second?.resourceVersion,
  ]);
});

test("a watcher receives each seed as an event of its own revision", async () => {
  const { registry } = await startRegistry();
  const storage = registry.resource(gadgets);
  const watcher = await storage.watch(watching({ version: gadgets.storage }));
  const writer = { ...WRITER, version: gadgets.storage };
  const object = (name: string) => ({ kind: "Gadget", apiVersion: "v1", metadata: { name } });
  await Promise.all(["a", "b", "c"].map((name) => storage.seed(object(name), writer)));
  const shown = (await readTexts(watcher, 3)).map((text) => text.split("@"));
  expect(shown.map(([text]) => text)).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  expect(new Set(shown.map(([, revision]) => revision)).size).toBe(3);
});

test("admission is asked where there were objects of the resource already, and not in a new cluster", async () => {
  const store = await openStore({ kind: "memory" });
  const asked: unknown[] = [];
  const ask = ({ name }: { readonly name: string }) => void asked.push(name);
  const seeding = async (...names: readonly string[]) => {
    const registry = createRegistry({
      store,
      vocabulary: vocabularyOf("orch"),
      admission: { mutate: ask, validate: ask },
    });
    await registry.ready();
    const storage = registry.resource(widgets);
    for (const name of names) {
      const object = { ...made(), metadata: { name, namespace: KEY.namespace } };
      expect((await storage.seed(object, WRITER))?.name).toBe(name === "a" && names.length > 1 ? name : undefined);
    }
  };
  await seeding("a");
  expect(asked).toEqual([]);
  await seeding("a", "b");
  expect(new Set(asked)).toEqual(new Set(["a", "b"]));
});
