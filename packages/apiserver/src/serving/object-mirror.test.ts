import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { createRegistry, type Registry, type ResourceStorage } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { ObjectMirror } from "./object-mirror";

const vocabulary = vocabularyOf("orch");

let store: Store;
let registry: Registry;
let storage: ResourceStorage;

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  const definition = builtInResources(vocabulary, loadSchema(vocabulary)).find(({ plural }) => plural === "configmaps");
  if (definition === undefined) throw new Error("there are no config maps");
  storage = registry.resource(definition);
  await registry.ready();
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

const watchers = (): number => registry.caches().reduce((sum, cache) => sum + cache.watchers, 0);

test("a mirror that is closed while it starts leaves no watch behind, and tells nobody of changes", async () => {
  let changes = 0;
  const told = {
    tooLarge() {},
    changed() {
      changes += 1;
    },
  };
  const mirror = new ObjectMirror(storage, told);
  const starting = mirror.start();
  mirror.close();
  await starting;
  expect([watchers(), changes]).toEqual([0, 0]);
});
