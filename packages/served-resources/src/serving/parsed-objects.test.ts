import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { SILENT } from "@orch/observability";
import { createRegistry, type Registry, type ResourceStorage } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { ParsedObjects } from "./parsed-objects";

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

test("parsed objects that are closed while they start leave no watch behind and report no change", async () => {
  let changes = 0;
  const told = {
    tooLarge() {},
    changed() {
      changes += 1;
    },
  };
  const objects = new ParsedObjects({ storage, logger: SILENT, ...told });
  const starting = objects.start();
  objects.close();
  await starting;
  expect([watchers(), changes]).toEqual([0, 0]);
});
