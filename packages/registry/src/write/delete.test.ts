// Deletions that do not end at once: grace periods and finalizers. Deletions of most kinds are tested in write.test.ts.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Admission, type DeletionRules, MOST_RECENT } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, V1, writing } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";

const at = { namespace: "default", name: "a" };
const metadataOf = (object: JsonObject) => object["metadata"] as JsonObject;

let store: Store;
let registry: Registry;
let admitted: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  admitted = [];
  const admission: Admission = {
    mutate: async ({ operation }) => void admitted.push(operation),
    validate: async () => {},
  };
  ({ registry } = await startRegistry({ store, admission }));
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

/** Returns the storage of a kind with these deletion rules, with a widget named "a". */
async function oneOf(deletion: DeletionRules): Promise<ResourceStorage> {
  const storage = registry.resource({ ...widgets, strategy: { ...widgets.strategy, deletion } });
  await storage.create(widget("a"), { ...at, name: "" }, writing());
  return storage;
}

const isGone = (storage: ResourceStorage) =>
  storage.get(at, MOST_RECENT).then(
    () => false,
    (error: { code: number }) => error.code === 404,
  );

test("an object with time to stop stays until a deletion without any", async () => {
  const storage = await oneOf({ graceSeconds: (_object, asked) => asked ?? 30 });
  const pending = await storage.delete(at, {}, writing());
  expect(pending.removed).toBe(false);
  expect(metadataOf(pending.entry.object())["deletionGracePeriodSeconds"]).toBe(30);
  const longer = await storage.delete(at, { gracePeriodSeconds: 40 }, writing());
  expect(longer.entry.resourceVersion).toBe(pending.entry.resourceVersion);
  await storage.update(widget("a", { spec: { color: "blue" } }), at, writing());
  expect(await isGone(storage)).toBe(false);
  const gone = await storage.delete(at, { gracePeriodSeconds: 0 }, writing());
  expect(gone.removed).toBe(true);
  expect(metadataOf(gone.entry.object())["deletionGracePeriodSeconds"]).toBe(0);
  expect(await isGone(storage)).toBe(true);
});

test("a dry run shows the mark and leaves the object alone", async () => {
  const storage = await oneOf({ graceSeconds: () => 30 });
  const before = (await store.status()).revision;
  const shown = await storage.delete(at, {}, writing({ dryRun: true }));
  expect(metadataOf(shown.entry.object())["deletionGracePeriodSeconds"]).toBe(30);
  expect((await store.status()).revision).toBe(before);
});

test("an object whose end others bring about goes with the update that says it is over", async () => {
  const storage = await oneOf({
    termination: {
      begun: (object) => ({ ...object, status: { phase: "Ending" } }),
      isOver: (object) => (object["spec"] as JsonObject)["color"] === "done",
    },
  });
  const begun = await storage.delete(at, {}, writing());
  expect(begun.entry.object()["status"]).toEqual({ phase: "Ending" });
  await storage.update(widget("a", { spec: { color: "nearly" } }), at, writing());
  expect(await isGone(storage)).toBe(false);
  await storage.update(widget("a", { spec: { color: "done" } }), at, writing());
  expect(await isGone(storage)).toBe(true);
});

test("a deletion that is under way already is neither admitted nor written again", async () => {
  const storage = await oneOf({ graceSeconds: () => 30 });
  const first = await storage.delete(at, {}, writing());
  const again = await storage.delete(at, {}, writing());
  expect(again).toMatchObject({ removed: false, entry: { resourceVersion: first.entry.resourceVersion } });
  expect(admitted).toEqual(["CREATE", "DELETE"]);
});

test("a version that leaves dependents alone does so unless the request says otherwise", async () => {
  const storage = await oneOf({});
  const version = { ...V1, orphansDependents: true };
  const { entry } = await storage.delete(at, {}, writing({ version }));
  expect(metadataOf(entry.object())["finalizers"]).toEqual(["orphan"]);
  const asked = { propagation: { kind: "policy", policy: "Background" } } as const;
  expect((await storage.delete(at, asked, writing({ version }))).removed).toBe(true);
});
