import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type AllocationKey,
  field,
  metaOf,
  nameOf,
  type ResourceDefinition,
  type UniqueAllocations,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { gadgets, widget, widgets } from "../testing/widgets";

const PLACE = "ranges/colors";
const keyOf = (object: JsonObject): AllocationKey => `${PLACE}/${(object["spec"] as { color: string }).color}`;
const colorIn = (allocation: AllocationKey) => allocation.slice(PLACE.length + 1);
const model: JsonObject = {
  kind: "Gadget",
  apiVersion: "v1",
  metadata: { name: "{0}", labels: { made: "here" } },
  spec: { of: "{1}" },
};

/** Each color is allocated once, and is represented by a gadget of its name. */
const allocations: UniqueAllocations = {
  places: [PLACE],
  held: (object) => [keyOf(object)],
  allocate: (next, _old, { taken }) =>
    taken(keyOf(next)) ? [field.invalid("spec.color", keyOf(next), "is taken")] : [],
  companions: {
    resource: { group: "", resource: "gadgets" },
    nameOf: colorIn,
    of: (allocation, holder) => ({
      name: colorIn(allocation),
      model,
      values: [colorIn(allocation), nameOf(holder)],
    }),
    isCompanion: (object) => metaOf(object).labels?.["made"] === "here",
    belongsTo: (object, holder) => (object["spec"] as { of?: string }).of === nameOf(holder),
  },
};
const painted: ResourceDefinition = { ...widgets, allocations };

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let colors: ResourceStorage;

const served = (by: Registry): readonly [ResourceStorage, ResourceStorage] => [
  by.resource(painted),
  by.resource(gadgets),
];

beforeEach(async () => {
  ({ store, registry } = await startRegistry());
  [storage, colors] = served(registry);
});
afterEach(() => registry.close());

const create = (name: string, color: string, by = storage) =>
  by.create(widget(name, { spec: { color } }), { namespace: "ns", name: "" }, writing());
const remove = (name: string, by = storage) => by.delete({ namespace: "ns", name }, {}, writing());
const color = async (name: string, by = colors) => {
  await by.caughtUp?.();
  return by.peek({ namespace: "", name });
};
const put = (object: JsonObject) => {
  const write = writing({ version: gadgets.storage });
  return colors.create({ kind: "Gadget", apiVersion: "v1", ...object }, { namespace: "", name: "" }, write);
};
const keys = async () => {
  const { items } = await store.range({ start: `/registry/${PLACE}/`, end: `/registry/${PLACE}0` });
  return items.map(({ key }) => key.slice(`/registry/${PLACE}/`.length));
};

test("a companion is written with its holder, as a create would store it", async () => {
  const { entry } = await create("a", "red");
  const found = await color("red");
  expect(found?.resourceVersion).toBe(entry.resourceVersion);
  expect(found?.object()).toMatchObject({
    kind: "Gadget",
    apiVersion: "v1",
    metadata: {
      name: "red",
      uid: expect.stringMatching(/^[0-9a-f]{8}-/),
      creationTimestamp: expect.stringMatching(/^20\d\d-/),
      labels: { made: "here" },
      managedFields: [{ manager: "orch-apiserver", operation: "Update" }],
    },
    spec: { of: "a" },
  });
  await create("b", "blue");
  expect(metaOf((await color("blue"))?.object() ?? {}).uid).not.toBe(metaOf(found?.object() ?? {}).uid);
});

test("a companion is replaced on a change of the allocation, and removed with its holder", async () => {
  await create("a", "red");
  await storage.update(widget("a", { spec: { color: "blue" } }), { namespace: "ns", name: "a" }, writing());
  expect([await color("red"), (await color("blue"))?.object()["spec"]]).toEqual([undefined, { of: "a" }]);
  await remove("a");
  expect([await color("blue"), await keys()]).toEqual([undefined, []]);
});

test("a dry run writes no companion", async () => {
  const object = widget("a", { spec: { color: "red" } });
  await storage.create(object, { namespace: "ns", name: "" }, writing({ dryRun: true }));
  expect([await color("red"), await keys()]).toEqual([undefined, []]);
});

describe("an object of the companions' resource", () => {
  test("that is no companion blocks its allocation", async () => {
    await put({ metadata: { name: "red" }, spec: {} });
    await expect(create("a", "red")).rejects.toMatchObject({ code: 422 });
    expect(await keys()).toEqual([]);
  });

  test("that is a companion without an allocation is replaced", async () => {
    await put({ metadata: { name: "red", labels: { made: "here" } }, spec: { of: "gone" } });
    await create("a", "red");
    expect((await color("red"))?.object()["spec"]).toEqual({ of: "a" });
  });

  test.each<[string, JsonObject]>([
    [
      "with a finalizer",
      { metadata: { name: "red", labels: { made: "here" }, finalizers: ["x/y"] }, spec: { of: "a" } },
    ],
    ["of another holder", { metadata: { name: "red", labels: { made: "here" } }, spec: { of: "b" } }],
  ])("%s stays when the holder is deleted", async (_which, object) => {
    await create("a", "red");
    await colors.delete({ namespace: "", name: "red" }, {}, writing({ version: gadgets.storage }));
    await put(object);
    await remove("a");
    expect(await color("red")).toBeDefined();
    expect(await keys()).toEqual([]);
  });
});

test("an allocation goes to one of two registries whose caches do not know of each other's writes", async () => {
  const lagging = new LaggingStore(store);
  const { registry: other } = await startRegistry({ store: lagging });
  const [elsewhere] = served(other);
  lagging.hold();
  await create("a", "red");
  await expect(create("b", "red", elsewhere)).rejects.toMatchObject({ code: 422 });
  // Its cache still shows the allocation of a deleted holder as free, and the companion as absent.
  await remove("a");
  await put({ metadata: { name: "red" }, spec: {} });
  await expect(create("c", "red", elsewhere)).rejects.toMatchObject({ code: 422 });
  lagging.letGo();
  expect(await keys()).toEqual([]);
  await other.close();
});

test("a companion that the cache shows after its removal is written as a new one", async () => {
  const lagging = new LaggingStore(store);
  const { registry: other } = await startRegistry({ store: lagging });
  const [elsewhere, colorsElsewhere] = served(other);
  await put({ metadata: { name: "red", labels: { made: "here" } }, spec: {} });
  expect(await color("red", colorsElsewhere)).toBeDefined();
  lagging.hold();
  await colors.delete({ namespace: "", name: "red" }, {}, writing({ version: gadgets.storage }));
  const { entry } = await create("a", "red", elsewhere);
  expect(await color("red")).toMatchObject({ resourceVersion: entry.resourceVersion });
  lagging.letGo();
  // The cache of the other registry counts again.
  await elsewhere.caughtUp?.();
  await remove("a", elsewhere);
  expect([await color("red"), await keys()]).toEqual([undefined, []]);
  await other.close();
});

test("twenty writers on two registries get each color once", async () => {
  const { registry: other } = await startRegistry({ store });
  const [elsewhere] = served(other);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      create(`w-${index}`, `c-${index % 7}`, index % 2 === 0 ? storage : elsewhere),
    ),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  expect(await keys()).toHaveLength(7);
  await colors.caughtUp?.();
  expect(colors.size?.("")).toBe(7);
  await other.close();
});

test("a registry without a cache writes companions, too", async () => {
  const { registry: blind } = await startRegistry({ store, follows: false });
  const [unseen] = served(blind);
  await create("a", "red", unseen);
  await expect(create("b", "red", unseen)).rejects.toMatchObject({ code: 422 });
  expect((await color("red"))?.object()["spec"]).toEqual({ of: "a" });
  await remove("a", unseen);
  expect([await color("red"), await keys()]).toEqual([undefined, []]);
  await blind.close();
});

test("companions in another store are not written, but objects there that are no companions block", async () => {
  const second = await openStore({ kind: "memory" });
  const storeOf = ({ resource }: { readonly resource: string }) => (resource === "gadgets" ? second : undefined);
  const { registry: split } = await startRegistry({ store, storeOf });
  const [here, there] = served(split);
  await create("a", "red", here);
  expect([await color("red", there), await keys()]).toEqual([undefined, ["red"]]);
  await there.create(
    { kind: "Gadget", apiVersion: "v1", metadata: { name: "blue" }, spec: {} },
    { namespace: "", name: "" },
    writing({ version: gadgets.storage }),
  );
  await there.caughtUp?.();
  await expect(create("b", "blue", here)).rejects.toMatchObject({ code: 422 });
  await split.close();
  await second.close();
});
