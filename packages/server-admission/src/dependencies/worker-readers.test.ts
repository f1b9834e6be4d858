// Tests which followed objects the main thread sends to a large-object worker: only those that it asks for and does not
// have yet.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { metaOf } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import { createRegistry, EventLoopYielder, type Registry, type ResourceStorage } from "@orch/registry";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";
import { openStore, type Store } from "@orch/store";
import { type AdmissionReaders, ownReaders } from "./admission-readers";
import { type OfferedReaders, offeredReaders, workerReaders } from "./worker-readers";

const vocabulary = vocabularyOf("orch");
const definition = builtInResources(vocabulary, loadSchema(vocabulary)).find(({ plural }) => plural === "limitranges");
const RANGES = { group: "", resource: "limitranges" };

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let main: AdmissionReaders;
let worker: AdmissionReaders;
/** Names of the objects that were sent to the worker. */
let sent: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  if (definition === undefined) throw new Error("there are no limit ranges");
  storage = registry.resource(definition);
  await registry.ready();
  const resources = () => ({ find: () => storage, named: () => storage, definitions: () => [definition] });
  const loop = new EventLoopYielder();
  main = ownReaders({ vocabulary, resources, ready: () => registry.ready(), loop, logger: SILENT });
  sent = [];
  worker = workerReaders(overPort(offeredReaders(main)));
});
afterEach(async () => {
  main.close();
  await registry.close();
  await store.close();
});

/** Passes each answer through structured clone, like a message port. */
function overPort(offered: OfferedReaders): OfferedReaders {
  const entries = Object.entries(offered).map(([name, ask]) => {
    const asked = async (argument: never) => {
      const told = await (ask as (of: never) => unknown)(structuredClone(argument));
      note(told);
      return structuredClone(told);
    };
    return [name, asked];
  });
  return Object.fromEntries(entries) as OfferedReaders;
}

function note(told: unknown): void {
  if (Array.isArray(told)) for (const each of told) note(each);
  else if (typeof told === "object" && told !== null) {
    const { metadata } = told as JsonObject;
    if (metadata !== undefined) sent.push(nameOf(told as JsonObject));
    else for (const each of Object.values(told)) note(each);
  }
}

const nameOf = (object: JsonObject): string => metaOf(object).name ?? "";
const taken = (): string[] => sent.splice(0);

async function create(name: string): Promise<void> {
  const object = { metadata: { name, namespace: "shop" }, spec: { limits: [] } };
  await storage.create(object, { namespace: "shop", name }, serverWrite(storage, vocabulary));
}

async function change(name: string, text: string): Promise<void> {
  const at = { namespace: "shop", name };
  await storage.changeInPlace(
    (object) => ({ ...object, metadata: { ...(object["metadata"] as JsonObject), annotations: { text } } }),
    at,
    serverWrite(storage, vocabulary),
  );
}

test("a lookup receives the object, and again after it changed", async () => {
  for (const name of ["a", "b", "c"]) await create(name);
  const lister = worker.objects.lister(RANGES);
  const find = async (name: string) => (await lister.find({ namespace: "shop", name })) as JsonObject | undefined;
  expect(nameOf((await find("b")) ?? {})).toBe("b");
  expect(taken()).toEqual(["b"]);
  await change("a", "else");
  expect(nameOf((await find("b")) ?? {})).toBe("b");
  expect(taken()).toEqual([]);
  await change("b", "else");
  expect(metaOf((await find("b")) ?? {}).annotations).toEqual({ text: "else" });
  expect(taken()).toEqual(["b"]);
  await storage.delete({ namespace: "shop", name: "b" }, {}, serverWrite(storage, vocabulary));
  expect(await find("b")).toBeUndefined();
  expect(await find("none")).toBeUndefined();
  expect(taken()).toEqual([]);
});

test("a list receives the objects changed since the previous one", async () => {
  for (const name of ["a", "b", "c"]) await create(name);
  const lister = worker.objects.lister(RANGES);
  const first = await lister.in("shop");
  expect([first.map(nameOf), taken()]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
  expect(await lister.in("shop")).toBe(first);
  expect(await worker.objects.lister(RANGES).in("shop")).toBe(first);
  await change("b", "else");
  await create("aa");
  await storage.delete({ namespace: "shop", name: "c" }, {}, serverWrite(storage, vocabulary));
  const next = await lister.in("shop");
  expect([next.map(nameOf), taken().sort()]).toEqual([
    ["a", "aa", "b"],
    ["aa", "b"],
  ]);
  expect(next[0]).toBe(first[0]);
  expect(metaOf(next[2] ?? {}).annotations).toEqual({ text: "else" });
  expect((await lister.all()).map(nameOf)).toEqual(["a", "aa", "b"]);
});

test("a worker that has forgotten, as one that is new, is told of all", async () => {
  await create("a");
  const offered = offeredReaders(main);
  const asked = { resource: RANGES, namespace: "shop" };
  const { state } = await offered.followedObjects({ ...asked, known: 0 });
  expect(await offered.followedObjects({ ...asked, known: state })).toEqual({ state });
  await create("b");
  const again = await offered.followedObjects({ ...asked, known: 0 });
  expect(again.list?.added.map(([, object]) => nameOf(object))).toEqual(["a", "b"]);
});
