// Guarantees of create, update and delete.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Admission, type AdmissionRequest, forbidden } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store, StoreError } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { listing, startRegistry, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { createOne, recolor } from "../testing/sample";
import { gadgets, widget, widgets, widgetsInV2 } from "../testing/widgets";

let store: LaggingStore;
let registry: Registry;
let storage: ResourceStorage;
const at = { namespace: "default", name: "a" };
const inDefault = { namespace: "default", name: "" };

beforeEach(async () => {
  store = new LaggingStore(await openStore({ kind: "memory" }));
  ({ registry } = await startRegistry({ store }));
  storage = registry.resource(widgets);
});

afterEach(async () => {
  await registry.close();
  await store.close();
});

const create = (object: JsonObject, more = {}) => storage.create(object, inDefault, writing(more));
const update = (object: JsonObject, more = {}) => storage.update(object, at, writing(more));
const stored = async () => (await storage.get(at, { kind: "mostRecent" })).object();
const metadataOf = (object: JsonObject) => object["metadata"] as JsonObject;
const withMeta = (object: JsonObject, meta: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...metadataOf(object), ...meta },
});
const revisionNow = async () => (await store.status()).revision;

describe("create", () => {
  test("sets what only the server may set, and drops what it may not take", async () => {
    const sent = withMeta(widget("a"), {
      uid: "mine",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      selfLink: "/x",
      clusterName: "x",
      resourceVersion: "77",
      generation: 9,
    });
    const { entry, created } = await create({ ...sent, status: { ready: true } });
    expect(created).toBe(true);
    const { uid, creationTimestamp, managedFields: _, ...rest } = metadataOf(entry.object());
    expect(rest).toEqual({
      name: "a",
      namespace: "default",
      generation: 1,
      resourceVersion: String(entry.resourceVersion),
    });
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(entry.object()["status"]).toBeUndefined();
  });

  test("a create with an existing name is 409, regardless of the cache", async () => {
    store.hold();
    await create(widget("a"));
    await expect(create(widget("a"))).rejects.toMatchObject({
      reason: "AlreadyExists",
      message: 'widgets.test.example "a" already exists',
    });
  });

  test("a create with the name of a terminating object is 409 with that reason", async () => {
    await create(withMeta(widget("a"), { finalizers: ["x/y"] }));
    await storage.delete(at, {}, writing());
    await expect(create(widget("a"))).rejects.toMatchObject({
      reason: "AlreadyExists",
      message: 'object is being deleted: widgets.test.example "a" already exists',
    });
  });

  test("draws another name when the first is taken, and gives up after some", async () => {
    let draws = 0;
    const randomness = (bytes: number) => new Uint8Array(bytes).fill(bytes === 5 ? Math.floor(draws++ / 3) : 1);
    const { registry: drawing } = await startRegistry({ store, randomness });
    const drawn = drawing.resource(widgets);
    const make = () => drawn.create(withMeta(widget(""), { generateName: "a-" }), inDefault, writing());
    const names = [(await make()).entry.name, (await make()).entry.name];
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => /^a-[a-z0-9]{5}$/.test(name))).toBe(true);
    const { registry: stuck } = await startRegistry({ store, randomness: (bytes) => new Uint8Array(bytes) });
    const make1 = () =>
      stuck.resource(widgets).create(withMeta(widget(""), { generateName: "b-" }), inDefault, writing());
    await make1();
    await expect(make1()).rejects.toMatchObject({
      reason: "ServerTimeout",
      code: 500,
      message: "The POST operation against Widget.test.example could not be completed at this time, please try again.",
    });
    await drawing.close();
    await stuck.close();
  });

  test.each<[string, JsonObject, object]>([
    ["in another namespace than its URL", withMeta(widget("a"), { namespace: "other" }), { code: 400 }],
    [
      "without a name",
      { ...widget("a"), metadata: {} },
      { code: 422, message: expect.stringContaining("name or generateName is required") },
    ],
    ["with a bad name", widget("A_"), { code: 422 }],
    [
      "against its kind's rules",
      widget("a", { spec: { color: "forbidden" } }),
      { code: 422, message: expect.stringContaining("spec.color") },
    ],
  ])("an object %s is rejected", async (_what, object, error) => {
    const before = await revisionNow();
    await expect(create(object)).rejects.toMatchObject(error);
    expect(await revisionNow()).toBe(before);
  });

  test("tells every broken rule at once", async () => {
    const bad = withMeta(widget("A_", { spec: { color: "forbidden" } }), { labels: { "": "x" } });
    const error = await create(bad).catch((thrown: { details: { causes: unknown[] } }) => thrown);
    expect((error as { details: { causes: { field: string }[] } }).details.causes.map(({ field }) => field)).toEqual(
      expect.arrayContaining(["metadata.name", "metadata.labels", "spec.color"]),
    );
  });

  test("stores the storage version, whichever version was sent", async () => {
    const v2 = widgets.versions[2] as typeof widgets.storage;
    const { entry } = await create({ ...widget("a"), spec: { colour: "red" } }, { version: v2 });
    expect(entry.object()).toMatchObject({ apiVersion: "test.example/v1", spec: { color: "red" } });
    expect(JSON.parse(entry.json(v2).toString())).toMatchObject({
      apiVersion: "test.example/v2",
      spec: { colour: "red" },
    });
  });
});

describe("update", () => {
  test("keeps what the server set, and raises the generation with the spec", async () => {
    const { entry } = await create(widget("a"));
    const before = metadataOf(entry.object());
    const sent = withMeta(widget("a", { spec: { color: "blue" } }), {
      creationTimestamp: "2001-01-01T00:00:00Z",
      generation: 50,
      deletionTimestamp: "2001-01-01T00:00:00Z",
    });
    const updated = await update({ ...sent, status: { from: "client" } });
    expect(updated.created).toBe(false);
    const { resourceVersion, managedFields: _, ...meta } = metadataOf(updated.entry.object());
    const { resourceVersion: old, managedFields: __, ...kept } = before;
    expect(meta).toEqual({ ...kept, generation: 2 });
    expect(Number(resourceVersion)).toBeGreaterThan(Number(old));
    expect(updated.entry.object()["status"]).toBeUndefined();
  });

  test("an update with an identical object writes nothing", async () => {
    const { entry } = await create(widget("a"));
    const before = await revisionNow();
    const same = await update(entry.object());
    expect(same.entry.resourceVersion).toBe(entry.resourceVersion);
    expect(await revisionNow()).toBe(before);
  });

  test("an update with an identical object rewrites an older stored form", async () => {
    const key = "/registry/test.example/widgets/default/a";
    const value = Buffer.from(
      '{"kind":"Widget","apiVersion":"test.example/v2","metadata":{"name":"a","namespace":"default"},"spec":{"colour":"red"}}',
    );
    await store.txn({ compare: [], then: [{ kind: "put", key, value }] });
    await update(await stored());
    const { items } = await store.range({ start: key });
    expect(JSON.parse(items[0]?.value.toString() ?? "")).toMatchObject({
      apiVersion: "test.example/v1",
      spec: { color: "red" },
    });
  });

  test("an update with an old resource version is 409", async () => {
    const { entry } = await create(widget("a"));
    await recolor(storage, "a", "blue");
    await expect(
      update(withMeta(widget("a"), { resourceVersion: String(entry.resourceVersion) })),
    ).rejects.toMatchObject({
      reason: "Conflict",
      message: expect.stringContaining("the object has been modified; please apply your changes to the latest version"),
    });
  });

  test("one of two concurrent updates from one version succeeds", async () => {
    const { entry } = await create(widget("a"));
    const both = ["blue", "green"].map((color) => update({ ...entry.object(), spec: { color } }));
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({ reason: { reason: "Conflict" } });
  });

  test("without a version takes whatever is there, also through a server that lags", async () => {
    const { registry: other } = await startRegistry({ store });
    const ahead = other.resource(widgets);
    await create(widget("a"));
    store.hold();
    for (let n = 0; n < 10; n += 1) {
      await recolor(n % 2 === 0 ? ahead : storage, "a", `c${n}`);
    }
    store.letGo();
    expect((await stored())["spec"]).toEqual({ color: "c9", size: 1 });
    await other.close();
  });

  test.each<[string, JsonObject, object]>([
    ["that does not exist", widget("b"), { code: 404 }],
    ["that does not exist, by its uid", withMeta(widget("b"), { uid: "u" }), { code: 409 }],
    [
      "of another name than its URL",
      widget("other"),
      { code: 400, message: expect.stringContaining("does not match the name on the URL") },
    ],
    [
      "without a name",
      { ...widget("a"), metadata: {} },
      { code: 400, message: expect.stringContaining("was undeterminable") },
    ],
    ["of another namespace", withMeta(widget("a"), { namespace: "x" }), { code: 400 }],
    ["of another uid", withMeta(widget("a"), { uid: "other" }), { code: 409 }],
    ["against its kind's rules", widget("a", { spec: { color: "forbidden" } }), { code: 422 }],
    ["that changes what is fixed", widget("a", { spec: { color: "red", fixed: 2 } }), { code: 422 }],
  ])("an object %s is rejected", async (what, object, error) => {
    await create(widget("a", { spec: { color: "red", fixed: 1 } }));
    const where = what.startsWith("that does not exist") ? { ...at, name: "b" } : at;
    await expect(storage.update(object, where, writing())).rejects.toMatchObject(error);
  });

  test("is refused for what is so, not for what this server believes", async () => {
    const { registry: other } = await startRegistry({ store: new LaggingStore(store) });
    const ahead = other.resource(widgets);
    const { entry } = await create(widget("a", { spec: { color: "red", fixed: 1 } }));
    await storage.get(at, { kind: "notOlderThan", resourceVersion: entry.resourceVersion });
    store.hold();
    // Changes that the lagging server has not received: the object is created again without the fixed field, and once
    // more with another version.
    await ahead.delete(at, {}, writing());
    const second = await createOne(ahead, "a");
    expect((await update(widget("a", { spec: { color: "red", fixed: 2 } }))).entry.object()).toMatchObject({
      spec: { fixed: 2 },
    });
    await expect(update(withMeta(widget("a"), { resourceVersion: String(second) }))).rejects.toMatchObject({
      code: 409,
    });
    await ahead.delete(at, {}, writing());
    await expect(update(widget("a"))).rejects.toMatchObject({ code: 404 });
    await other.close();
  });

  test("an update of the status changes only the status", async () => {
    await create(widget("a"));
    const subresource = { name: "status", rules: widgets.subresources["status"] as never };
    const sent = { ...widget("a", { spec: { color: "blue" } }), status: { ready: true } };
    const { entry } = await update(sent, { subresource });
    expect(entry.object()).toMatchObject({
      spec: { color: "red" },
      status: { ready: true },
      metadata: { generation: 1 },
    });
    await expect(
      storage.update(widget("none"), { ...at, name: "none" }, { ...writing(), subresource }),
    ).rejects.toMatchObject({ code: 404 });
  });

  test("makes what is missing where the kind allows it, and asks for a version where the kind does", async () => {
    const things = registry.resource(gadgets);
    const write = writing({ version: gadgets.storage });
    const made = await things.update({ metadata: { name: "g" } }, { namespace: "", name: "g" }, write);
    expect(made.created).toBe(true);
    expect(metadataOf(made.entry.object())).toMatchObject({ name: "g" });
    await expect(
      things.update({ metadata: { name: "g", labels: { a: "b" } } }, { namespace: "", name: "g" }, write),
    ).rejects.toMatchObject({ code: 422, message: expect.stringContaining("must be specified for an update") });
  });
});

describe("delete", () => {
  test("shows the last state at the revision of the deletion", async () => {
    await create(widget("a"));
    const { entry, removed } = await storage.delete(at, {}, writing());
    expect(removed).toBe(true);
    expect(entry.resourceVersion).toBe(await revisionNow());
    expect(metadataOf(entry.object())["resourceVersion"]).toBe(String(entry.resourceVersion));
  });

  test("marks an object with finalizers, and the update that releases the last removes it", async () => {
    await create(withMeta(widget("a"), { finalizers: ["x/y", "x/z"] }));
    const marked = await storage.delete(at, {}, writing());
    expect(marked.removed).toBe(false);
    expect(metadataOf(marked.entry.object())).toMatchObject({
      deletionTimestamp: expect.stringMatching(/Z$/),
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const again = await storage.delete(at, {}, writing());
    expect(again.entry.resourceVersion).toBe(marked.entry.resourceVersion);
    const one = await update(withMeta(await stored(), { finalizers: ["x/z"] }));
    expect(metadataOf(one.entry.object())["finalizers"]).toEqual(["x/z"]);
    await expect(update(withMeta(await stored(), { finalizers: ["x/z", "x/new"] }))).rejects.toMatchObject({
      code: 422,
    });
    const last = await update(withMeta(await stored(), { finalizers: [] }));
    expect(metadataOf(last.entry.object())["finalizers"] ?? []).toEqual([]);
    await expect(stored()).rejects.toMatchObject({ code: 404 });
  });

  test.each([
    ["uid", { uid: "other" }],
    ["resourceVersion", { resourceVersion: "1" }],
  ])("with a %s that does not hold is 409", async (_what, preconditions) => {
    const { entry } = await create(widget("a"));
    await expect(storage.delete(at, { preconditions }, writing())).rejects.toMatchObject({ reason: "Conflict" });
    const { uid, resourceVersion } = metadataOf(entry.object()) as { uid: string; resourceVersion: string };
    expect((await storage.delete(at, { preconditions: { uid, resourceVersion } }, writing())).removed).toBe(true);
  });

  test("a delete of a missing object is 404, and finds objects that the cache does not have yet", async () => {
    await expect(storage.delete(at, {}, writing())).rejects.toMatchObject({ code: 404 });
    store.hold();
    await create(widget("a"));
    expect((await storage.delete(at, {}, writing())).removed).toBe(true);
    await expect(storage.delete(at, {}, writing())).rejects.toMatchObject({ code: 404 });
  });
});

test("a dry run answers as the write would, and writes nothing", async () => {
  const dry = writing({ dryRun: true });
  await create(widget("a"));
  const before = await revisionNow();
  await expect(storage.create(widget("a"), inDefault, dry)).rejects.toMatchObject({ code: 409 });
  expect(
    metadataOf((await storage.create(widget("b"), inDefault, dry)).entry.object())["resourceVersion"],
  ).toBeUndefined();
  expect((await storage.update(widget("a", { spec: { color: "x" } }), at, dry)).entry.object()).toMatchObject({
    spec: { color: "x" },
  });
  await expect(storage.update(widget("b"), { ...at, name: "b" }, dry)).rejects.toMatchObject({ code: 404 });
  expect((await storage.delete(at, {}, dry)).removed).toBe(true);
  expect(await revisionNow()).toBe(before);
  expect((await storage.list(listing())).entries.length).toBe(1);
});

describe("an owner that is named twice", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1" };
  const twice = { ownerReferences: [owner, { ...owner, uid: "u-2" }, { ...owner }] };
  const ownersIn = (entry: { object(): JsonObject }) => metadataOf(entry.object())["ownerReferences"];

  test("stays once, whatever writes it, and the client is warned", async () => {
    const warnings: string[] = [];
    const warned = { ...writing(), warn: (text: string) => void warnings.push(text) };
    const object = () => ({ ...widget("a"), metadata: { ...metadataOf(widget("a")), ...twice } });
    const once = [owner, { ...owner, uid: "u-2" }];
    expect(ownersIn((await storage.create(object(), inDefault, warned)).entry)).toEqual(once);
    expect(ownersIn((await storage.update(object(), at, warned)).entry)).toEqual(once);
    const patch = { kind: "merge", body: { metadata: twice } } as const;
    const { entry } = await storage.patch(patch, at, { ...warned, noticed: () => {} });
    expect(ownersIn(entry)).toEqual(once);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/^\.metadata\.ownerReferences contains duplicate entries; .*: u-1$/);
  });

  test("stays once too where admission named it again", async () => {
    const warnings: string[] = [];
    const mutate = async ({ object }: AdmissionRequest) => {
      if (object !== undefined) metadataOf(object)["ownerReferences"] = [{ ...owner }, { ...owner }];
    };
    const made = await startRegistry({ store, admission: { mutate, validate: async () => {} } });
    const warned = { ...writing(), warn: (text: string) => void warnings.push(text) };
    const { entry } = await made.registry.resource(widgets).create(widget("a"), inDefault, warned);
    expect(ownersIn(entry)).toEqual([owner]);
    expect(warnings).toEqual([expect.stringContaining("after mutating admission")]);
    await made.registry.close();
  });
});

describe("admission", () => {
  async function admitting(admission: Partial<Admission>, definition = widgets) {
    const seen: AdmissionRequest[] = [];
    const note = async (request: AdmissionRequest) => void seen.push(request);
    const made = await startRegistry({ store, admission: { mutate: note, validate: note, ...admission } });
    return { seen, storage: made.registry.resource(definition), close: () => made.registry.close() };
  }

  test("sees every write, may change objects before they are prepared, and may refuse", async () => {
    const {
      seen,
      storage: admitted,
      close,
    } = await admitting({
      mutate: async ({ object }) => {
        if (object !== undefined) metadataOf(object)["labels"] = { mutated: "yes" };
      },
      validate: async ({ operation, name }) => {
        if (operation === "DELETE") throw forbidden({ group: "test.example", resource: "widgets" }, name, "no");
      },
    });
    const { entry } = await admitted.create(widget("a"), inDefault, writing());
    expect(entry.labels).toEqual({ mutated: "yes" });
    await expect(admitted.delete(at, {}, writing())).rejects.toMatchObject({ code: 403 });
    expect(seen).toEqual([]);
    await close();
  });

  test("sees the hub's shape, as the rules do, whatever is stored", async () => {
    const { seen, storage: admitted, close } = await admitting({}, widgetsInV2);
    const [v1 = widgets.storage] = widgetsInV2.versions;
    const write = writing({ version: v1 });
    const { entry } = await admitted.create(widget("a"), inDefault, write);
    expect(entry.object()).toMatchObject({ apiVersion: "test.example/v2", spec: { colour: "red", size: 1 } });
    await admitted.update(widget("a", { spec: { color: "blue" } }), at, write);
    await admitted.patch({ kind: "merge", body: { spec: { size: 3 } } }, at, { ...write, noticed: () => {} });
    await admitted.delete(at, {}, write);
    const colors = ({ object, oldObject }: AdmissionRequest) =>
      [object, oldObject].map((each) => (each?.["spec"] as JsonObject | undefined)?.["color"]);
    expect(seen.filter((_, turn) => turn % 2 === 0).map(colors)).toEqual([
      ["red", undefined],
      ["blue", "red"],
      ["blue", "blue"],
      [undefined, "blue"],
    ]);
    const bad = widget("b", { spec: { color: "forbidden" } });
    await expect(admitted.create(bad, inDefault, write)).rejects.toMatchObject({ code: 422 });
    await close();
  });

  test("is given the old and the new object", async () => {
    const { seen, storage: admitted, close } = await admitting({});
    await admitted.create(widget("a"), inDefault, writing());
    await admitted.update(widget("a", { spec: { color: "blue" } }), at, writing());
    await admitted.delete(at, {}, writing());
    expect(seen.map(({ operation }) => operation)).toEqual([
      "CREATE",
      "CREATE",
      "UPDATE",
      "UPDATE",
      "DELETE",
      "DELETE",
    ]);
    expect(seen[2]).toMatchObject({
      name: "a",
      object: { spec: { color: "blue" } },
      oldObject: { spec: { color: "red" } },
    });
    expect(seen[4]?.object).toBeUndefined();
    await close();
  });
});

test.each<[StoreError, object]>([
  [new StoreError("unavailable", "x"), { code: 500, reason: "ServerTimeout", details: { retryAfterSeconds: 2 } }],
  [new StoreError("unknownOutcome", "x"), { code: 504, reason: "Timeout" }],
  [new StoreError("tooLarge", "x"), { code: 413 }],
  [
    new StoreError("full", "NOSPACE"),
    { code: 500, reason: "InternalError", message: expect.stringContaining("the store is full") },
  ],
])("a write that the store fails with %s is told so, never as a success", async (error, status) => {
  const failing: Store = Object.assign(new LaggingStore(store), { txn: async () => Promise.reject(error) });
  const { registry: other } = await startRegistry({ store: failing });
  await expect(other.resource(widgets).create(widget("a"), inDefault, writing())).rejects.toMatchObject(status);
  await other.close();
});
