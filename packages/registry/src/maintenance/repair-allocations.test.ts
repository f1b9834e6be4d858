import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ResourceDefinition, UniqueAllocations } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Store } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
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

test("a matching allocation is unchanged", async () => {
  expect(await storage.repairAllocations()).toEqual({
    released: [],
    recorded: new Map(),
    shared: new Map(),
    withdrawn: new Map(),
  });
  expect(await colors()).toEqual(["red"]);
});

test("a missing allocation of an object is recorded", async () => {
  await remove("ranges/colors/red");
  expect(await storage.repairAllocations()).toMatchObject({ recorded: new Map([["ranges/colors/red", ["ns/a"]]]) });
  expect(await colors()).toEqual(["red"]);
});

test("an allocation without an object is released in the third unchanged pass", async () => {
  await put("ranges/colors/leaked");
  const released = async () => (await storage.repairAllocations()).released;
  expect([await released(), await released()]).toEqual([[], []]);
  await put("ranges/colors/leaked");
  expect([await released(), await released(), await released()]).toEqual([[], [], ["ranges/colors/leaked"]]);
  expect(await colors()).toEqual(["red"]);
});

test("a value allocated to two objects is reported", async () => {
  const entry = storage.peek({ namespace: "ns", name: "a" });
  const copy = entry?.object() as JsonObject;
  copy["metadata"] = { name: "b", namespace: "ns" };
  const value = Buffer.from(JSON.stringify({ kind: copy["kind"], apiVersion: copy["apiVersion"], ...copy }));
  await store.txn({ compare: [], then: [{ kind: "put", key: `${PREFIX}test.example/widgets/ns/b`, value }] });
  await passed();
  expect((await storage.repairAllocations()).shared).toEqual(new Map([["ranges/colors/red", ["ns/a", "ns/b"]]]));
});

test("a value outside of the range is reported", async () => {
  await storage.create(widget("old", { spec: { color: "beige" } }), { namespace: "ns", name: "" }, writing());
  const { withdrawn } = await storage.repairAllocations();
  expect(withdrawn).toEqual(new Map([["ranges/colors/beige", ["ns/old"]]]));
});
