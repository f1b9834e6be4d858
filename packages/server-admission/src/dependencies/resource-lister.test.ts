import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { metaOf } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import { createRegistry, EventLoopYielder, type Registry, type ResourceStorage } from "@orch/registry";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";
import { openStore, type Store } from "@orch/store";
import { ResourceLister } from "./resource-lister";

const vocabulary = vocabularyOf("orch");
const definition = builtInResources(vocabulary, loadSchema(vocabulary)).find(({ plural }) => plural === "limitranges");

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let lister: ResourceLister;
let turns: number;

class CountingYielder extends EventLoopYielder {
  override next(): Promise<void> {
    turns += 1;
    return super.next();
  }
}

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  if (definition === undefined) throw new Error("there are no limit ranges");
  storage = registry.resource(definition);
  await registry.ready();
  turns = 0;
  const loop = new CountingYielder({ sliceMs: 0 });
  const resource = { group: "", resource: "limitranges" };
  lister = new ResourceLister({ resource, storage: () => storage, ready: async () => {}, loop, logger: SILENT });
  await lister.start();
});
afterEach(async () => {
  lister.close();
  await registry.close();
  await store.close();
});

const LARGE = "x".repeat(60_000);

async function create(namespace: string, names: readonly string[], text = ""): Promise<void> {
  for (const name of names) {
    const object = { metadata: { name, namespace, annotations: { text } }, spec: { limits: [] } };
    await storage.create(object, { namespace, name }, serverWrite(storage, vocabulary));
  }
}

const nameOf = (object: JsonObject): string => `${metaOf(object).namespace}/${metaOf(object).name}`;
const TEN = Array.from({ length: 10 }, (_, at) => `r${at}`);

test("few objects are told at once, in order, by namespace, altogether and one by one", async () => {
  await create("b", ["y", "x"]);
  await create("a", ["z"]);
  expect((lister.in("b") as readonly JsonObject[]).map(nameOf)).toEqual(["b/x", "b/y"]);
  expect((lister.all() as readonly JsonObject[]).map(nameOf)).toEqual(["a/z", "b/x", "b/y"]);
  expect(nameOf(lister.find({ namespace: "a", name: "z" }) as JsonObject)).toBe("a/z");
  expect(lister.find({ namespace: "a", name: "y" })).toBeUndefined();
  expect(lister.in("c")).toEqual([]);
  expect(turns).toBe(0);
});

test("much that has come anew is read in turns, and once", async () => {
  await create("shop", TEN, LARGE);
  const late = lister.in("shop");
  expect(late).toBeInstanceOf(Promise);
  expect((await late).map(nameOf)).toEqual(TEN.map((name) => `shop/${name}`));
  expect(turns).toBeGreaterThan(5);
  expect(lister.in("shop")).toBe(await late);
});

test("a read does not wait for many objects in another namespace, or for objects other than the requested one", async () => {
  await create("shop", TEN, LARGE);
  await create("other", ["a"]);
  expect((lister.in("other") as readonly JsonObject[]).map(nameOf)).toEqual(["other/a"]);
  expect(nameOf(lister.find({ namespace: "shop", name: "r3" }) as JsonObject)).toBe("shop/r3");
  expect(turns).toBe(0);
  expect(await lister.all()).toHaveLength(11);
});

test("an object that changes during the read is returned in its new state", async () => {
  await create("shop", TEN, LARGE);
  const late = lister.in("shop");
  await storage.delete({ namespace: "shop", name: "r4" }, {}, serverWrite(storage, vocabulary));
  await create("shop", ["z"]);
  const names = (await late).map(nameOf);
  expect(names).toEqual([...TEN.filter((name) => name !== "r4"), "z"].map((name) => `shop/${name}`));
});
