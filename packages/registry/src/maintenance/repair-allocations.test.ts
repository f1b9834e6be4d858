import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ResourceDefinition, UniqueAllocations } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Store } from "@orch/store";
import type { Registry, ResourceStorage } from "../contract/registry";
import { startRegistry, writing } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";

const colorOf = (object: JsonObject) => (object["spec"] as { color: string }).color;

/** Each color may be claimed once. */
const allocations: UniqueAllocations = {
  places: ["ranges/colors"],
  held: (object) => [`ranges/colors/${colorOf(object)}`],
  allocate: () => [],
  isOffered: (allocation) => allocation !== "ranges/colors/beige",
};
const painted: ResourceDefinition = { ...widgets, allocations };

const PREFIX = "/registry/";
let store: Store;
let registry: Registry;
let storage: ResourceStorage;

beforeEach(async () => {
  ({ store, registry } = await startRegistry());
  storage = registry.resource(painted);
  await storage.create(widget("a"), { namespace: "ns", name: "" }, writing());
});
afterEach(() => registry.close());

const put = async (key: string) => {
  await store.txn({ compare: [], then: [{ kind: "put", key: PREFIX + key, value: Buffer.from("{}") }] });
  await passed();
};
const remove = async (key: string) => {
  await store.txn({ compare: [], then: [{ kind: "delete", start: PREFIX + key }] });
  await passed();
};
/** Waits until the cache has seen all writes. */
const passed = async () => {
  const { revision } = await store.range({ start: PREFIX });
  while (registry.health().revision < revision) await new Promise(setImmediate);
};
const colors = async () => {
  const { items } = await store.range({ start: `${PREFIX}ranges/`, end: `${PREFIX}ranges0` });
  return items.map(({ key }) => key.slice(`${PREFIX}ranges/colors/`.length));
};

test("what fits is left as it is", async () => {
  expect(await storage.repairAllocations()).toEqual({
    released: [],
    recorded: new Map(),
    shared: new Map(),
    withdrawn: new Map(),
  });
  expect(await colors()).toEqual(["red"]);
});

test("what an object holds is recorded again", async () => {
  await remove("ranges/colors/red");
  expect(await storage.repairAllocations()).toMatchObject({ recorded: new Map([["ranges/colors/red", ["ns/a"]]]) });
  expect(await colors()).toEqual(["red"]);
});

test("what no object holds is released, in the third pass that meets it unchanged", async () => {
  await put("ranges/colors/leaked");
  const released = async () => (await storage.repairAllocations()).released;
  expect([await released(), await released()]).toEqual([[], []]);
  await put("ranges/colors/leaked");
  expect([await released(), await released(), await released()]).toEqual([[], [], ["ranges/colors/leaked"]]);
  expect(await colors()).toEqual(["red"]);
});

test("what two objects hold is told", async () => {
  const entry = storage.peek({ namespace: "ns", name: "a" });
  const copy = entry?.object() as JsonObject;
  copy["metadata"] = { name: "b", namespace: "ns" };
  const value = Buffer.from(JSON.stringify({ kind: copy["kind"], apiVersion: copy["apiVersion"], ...copy }));
  await store.txn({ compare: [], then: [{ kind: "put", key: `${PREFIX}test.example/widgets/ns/b`, value }] });
  await passed();
  expect((await storage.repairAllocations()).shared).toEqual(new Map([["ranges/colors/red", ["ns/a", "ns/b"]]]));
});

test("what is not offered any more is found", async () => {
  await storage.create(widget("old", { spec: { color: "beige" } }), { namespace: "ns", name: "" }, writing());
  const { withdrawn } = await storage.repairAllocations();
  expect(withdrawn).toEqual(new Map([["ranges/colors/beige", ["ns/old"]]]));
});
