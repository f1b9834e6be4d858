// A registry that keeps nothing of its store, for a process that only writes occasionally, beside another registry that
// follows the store.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { listing, startRegistry, watching, writing } from "../testing/harness";
import { createOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

let store: Store;
let follower: Registry;
let registry: Registry;
let storage: ResourceStorage;
const at = { namespace: "default", name: "a" };

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  ({ registry: follower } = await startRegistry({ store }));
  ({ registry } = await startRegistry({ store, follows: false }));
  storage = registry.resource(widgets);
});

afterEach(async () => {
  await registry.close();
  await follower.close();
  await store.close();
});

test("it writes what the other has written, and the other hears of it", async () => {
  await createOne(follower.resource(widgets), "a");
  const { entry } = await storage.update(widget("a", { spec: { color: "blue" } }), at, writing());
  const heard = await follower
    .resource(widgets)
    .get(at, { kind: "notOlderThan", resourceVersion: entry.resourceVersion });
  expect(heard.object()["spec"]).toMatchObject({ color: "blue" });
  await storage.delete(at, {}, writing());
  await expect(follower.resource(widgets).get(at, { kind: "mostRecent" })).rejects.toMatchObject({ code: 404 });
});

test.each([
  ["the newest", { kind: "mostRecent" }],
  ["any", { kind: "any" }],
  ["one not older than what was written", { kind: "notOlderThan", resourceVersion: 2 }],
] as const)("a read of %s object comes from the store", async (_what, read) => {
  await createOne(follower.resource(widgets), "a");
  expect((await storage.get(at, read)).name).toBe("a");
  expect((await storage.list(listing({ read }))).entries.map(({ name }) => name)).toEqual(["a"]);
});

test("a version that does not exist yet is told so at once", async () => {
  const read = { kind: "notOlderThan", resourceVersion: 999 } as const;
  await expect(storage.get(at, read)).rejects.toMatchObject({ code: 504, details: { causes: [{}] } });
});

test("nothing of it can be watched", async () => {
  await expect(storage.watch(watching())).rejects.toThrow("the watch cache is not running");
});
