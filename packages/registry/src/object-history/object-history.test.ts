// The history of objects, over a store in memory.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { isReason } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { openStore, type Store, StoreError, type TxnRequest } from "@orch/store";
import type { HistoryRules } from "../contract/history-rules";
import type { WriteContext } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { trimHistory } from "../maintenance/trim-history";
import { namespaceKeys } from "../objects/key-layout";
import { encrypted } from "../testing/encrypted";
import { startRegistry, V1, writing } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";

const KEYS = { start: "/registry-history/", end: "/registry-history0" };
const HOUR_MS = 3_600_000;
const at = (name: string) => ({ namespace: "default", name });
const rules = (states: number, more: Partial<HistoryRules> = {}): HistoryRules => ({
  statesOf: ({ resource }) => (resource === "widgets" ? states : 0),
  maxAgeMs: 0,
  maxBytes: 1024 * 1024,
  ...more,
});
const by = (name: string, more: Partial<WriteContext> = {}) =>
  writing({ user: { name, groups: [] }, manager: "cli", userAgent: "cli/1", ...more });

let store: Store;
const opened: Registry[] = [];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
});
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close();
  await store.close();
});

async function serving(historyRules: HistoryRules | undefined, over: Store = store): Promise<ResourceStorage> {
  const { registry } = await startRegistry({ store: over, ...(historyRules && { historyRules }) });
  opened.push(registry);
  return registry.resource(widgets);
}

const create = async (storage: ResourceStorage, name: string, color: string) =>
  (await storage.create(widget(name, { spec: { color } }), { namespace: "default", name: "" }, by("ann"))).entry
    .resourceVersion;
const paint = async (storage: ResourceStorage, name: string, color: string, user = "bob") =>
  (await storage.update(widget(name, { spec: { color } }), at(name), by(user))).entry.resourceVersion;
const remove = async (storage: ResourceStorage, name: string) =>
  (await storage.delete(at(name), {}, by("cid"))).entry.resourceVersion;

const historyOf = ({ history }: ResourceStorage) => {
  if (history === undefined) throw new Error("the resource has no history");
  return history;
};
const revisions = async (storage: ResourceStorage, name: string, limit = 100) =>
  historyOf(storage).revisions(at(name), { version: V1, limit, withPatches: true });
const stateOf = async (storage: ResourceStorage, name: string, revision?: number) => {
  const entry = await historyOf(storage).state(at(name), revision, {});
  return { version: entry.resourceVersion, spec: entry.object()["spec"] };
};
const deleted = async (storage: ResourceStorage, limit = 100, after = "") =>
  historyOf(storage).deleted("default", { limit, after });
const keys = async () => (await store.range({ ...KEYS, keysOnly: true })).items.map(({ key }) => key);
const trim = async (historyRules: HistoryRules, nowMs = Date.now()) =>
  trimHistory({
    ...{ store, prefix: "/registry", rules: historyRules, vocabulary: vocabularyOf("orch") },
    clock: { now: () => nowMs } as never,
    namespace: () => undefined,
    namespaceKeys: namespaceKeys("/registry"),
  });

describe("the history of an object", () => {
  test("tells each write with its patch, and every state", async () => {
    const storage = await serving(rules(10));
    const red = await create(storage, "a", "red");
    const blue = await paint(storage, "a", "blue");
    const gone = await remove(storage, "a");
    const told = await revisions(storage, "a");
    expect(told.remaining).toBe(0);
    expect(told.revisions).toEqual([
      expect.objectContaining({
        resourceVersion: gone,
        replaces: blue,
        change: "deleted",
        verb: "delete",
        user: "cid",
      }),
      expect.objectContaining({
        ...{ resourceVersion: blue, replaces: red, change: "updated", verb: "update", user: "bob" },
        ...{ fieldManager: "cli", userAgent: "cli/1" },
      }),
      expect.objectContaining({ resourceVersion: red, replaces: 0, change: "created", verb: "create", user: "ann" }),
    ]);
    expect(told.revisions[1]).toMatchObject({
      patch: [
        { op: "replace", path: "/metadata/generation", value: 2 },
        { op: "replace", path: "/spec/color", value: "blue" },
      ],
    });
    expect(await stateOf(storage, "a", red)).toEqual({ version: red, spec: { color: "red", size: 1 } });
    expect(await stateOf(storage, "a")).toEqual({ version: blue, spec: { color: "blue", size: 1 } });
    await expect(stateOf(storage, "a", gone)).rejects.toMatchObject({ code: 404 });
  });

  test("begins with the state that the first recorded write replaced", async () => {
    const before = await serving(undefined);
    const red = await create(before, "a", "red");
    expect(before.history).toBeUndefined();
    const storage = await serving(rules(10));
    await paint(storage, "a", "blue");
    expect(await stateOf(storage, "a", red)).toMatchObject({ spec: { color: "red" } });
  });

  test("has no revision of a write that changes nothing, is a dry run or fails", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    await paint(storage, "a", "red");
    await storage.update(widget("a", { spec: { color: "blue" } }), at("a"), by("bob", { dryRun: true }));
    await expect(create(storage, "a", "green")).rejects.toMatchObject({ code: 409 });
    expect(await keys()).toHaveLength(1);
  });

  test("has as many revisions as there were writers at once, in the order of the writes", async () => {
    const storage = await serving(rules(100));
    await create(storage, "a", "c0");
    await Promise.all(Array.from({ length: 20 }, (_, index) => paint(storage, "a", `c${index + 1}`)));
    const { revisions: told } = await revisions(storage, "a");
    expect(told).toHaveLength(21);
    for (const [index, { replaces }] of told.slice(0, -1).entries())
      expect(replaces).toBe(told[index + 1]?.resourceVersion);
    expect(told.slice(0, -1).every(({ patch }) => patch !== undefined)).toBe(true);
  });

  test("keeps the revisions of an object of the same name apart, and names them all", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    await remove(storage, "a");
    await create(storage, "a", "green");
    await create(storage, "a-b", "blue");
    const { revisions: told } = await revisions(storage, "a");
    expect(told.map(({ change }) => change)).toEqual(["created", "deleted", "created"]);
  });

  test("limits the list, and tells how many are left", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    for (const color of ["b", "c", "d"]) await paint(storage, "a", color);
    const told = await revisions(storage, "a", 2);
    expect(told.revisions).toHaveLength(2);
    expect(told.remaining).toBe(2);
  });

  test("is not part of the cache, whose next registry finds only objects", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    const { registry } = await startRegistry({ store });
    opened.push(registry);
    expect(registry.caches()).toEqual([]);
    expect(registry.resource(widgets).size?.("")).toBe(1);
  });
});

describe("deleted objects", () => {
  test("are listed in pages until they exist again", async () => {
    const storage = await serving(rules(10));
    for (const name of ["a", "b", "c"]) await create(storage, name, "red");
    for (const name of ["a", "b", "c"]) await remove(storage, name);
    await create(storage, "b", "blue");
    const first = await deleted(storage, 1);
    expect(first.objects.map(({ name, isKept, user }) => [name, isKept, user])).toEqual([["a", true, "cid"]]);
    const second = await deleted(storage, 1, first.after);
    expect(second.objects.map(({ name }) => name)).toEqual(["c"]);
    expect((await deleted(storage)).objects).toHaveLength(2);
  });
});

describe("bounds", () => {
  test("the number of states", async () => {
    const storage = await serving(rules(2));
    const red = await create(storage, "a", "red");
    for (const color of ["b", "c", "d"]) await paint(storage, "a", color);
    expect(await trim(rules(2))).toBe(2);
    expect((await revisions(storage, "a")).revisions).toHaveLength(2);
    await expect(stateOf(storage, "a", red)).rejects.toMatchObject({ code: 404 });
    expect(await trim(rules(2))).toBe(0);
  });

  test("their size, of which the newest is excepted", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    for (const color of ["b", "c", "d"]) await paint(storage, "a", color);
    expect(await trim(rules(10, { maxBytes: 1 }))).toBe(3);
    expect(await keys()).toHaveLength(1);
  });

  test("their age", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    expect(await trim(rules(10, { maxAgeMs: HOUR_MS }))).toBe(0);
    expect(await trim(rules(10, { maxAgeMs: HOUR_MS }), Date.now() + 2 * HOUR_MS)).toBe(1);
  });

  test("a resource without a history keeps what it has until its age", async () => {
    const storage = await serving(rules(10));
    for (const color of ["red", "blue"])
      await (color === "red" ? create(storage, "a", color) : paint(storage, "a", color));
    expect(await trim(rules(0))).toBe(0);
  });

  test("many objects are trimmed over several pages", async () => {
    const storage = await serving(rules(1));
    const names = Array.from({ length: 700 }, (_, index) => `w${index}`);
    for (const name of names) {
      await create(storage, name, "red");
      await paint(storage, name, "blue");
    }
    expect(await trim(rules(1))).toBe(names.length);
    expect(await keys()).toHaveLength(names.length);
  });

  test("the revisions of a former namespace of the same name are neither shown nor kept", async () => {
    const storage = await serving(rules(10));
    await create(storage, "a", "red");
    const [namespace] = [`${namespaceKeys("/registry").start}default`];
    await store.txn({ compare: [], then: [{ kind: "put", key: namespace, value: Buffer.from("{}") }] });
    const context = (await startRegistry({ store, historyRules: rules(10) })).registry;
    opened.push(context);
    context.resource({ ...widgets, group: "", plural: "namespaces", scope: "Cluster" });
    const again = context.resource(widgets);
    expect((await revisions(again, "a")).revisions).toEqual([]);
    expect(await trim(rules(10))).toBe(1);
  });
});

describe("a store that refuses", () => {
  const failing = (fails: (request: TxnRequest) => StoreError | undefined): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== "txn") return typeof member === "function" ? member.bind(target) : member;
        return async (request: TxnRequest) => {
          const error = fails(request);
          if (error !== undefined) throw error;
          return target.txn(request);
        };
      },
    });
  const bytesOf = ({ then }: TxnRequest) =>
    then.reduce((sum, each) => sum + (each.kind === "put" ? each.value.length : 0), 0);

  test("an object that does not fit together with its former state is written without it", async () => {
    const over = failing((request) =>
      bytesOf(request) > 10_000 ? new StoreError("tooLarge", "too large") : undefined,
    );
    const storage = await serving(rules(10), over);
    const long = "x".repeat(6000);
    const first = await create(storage, "a", `${long}1`);
    await paint(storage, "a", `${long}2`);
    const { revisions: told } = await revisions(storage, "a");
    expect(told[0]).toMatchObject({ note: "the former state was too large to be kept beside the object", user: "bob" });
    await expect(stateOf(storage, "a", first)).rejects.toMatchObject({ code: 404 });
    await remove(storage, "a");
  });

  test("a deletion in a full store succeeds without its record", async () => {
    let isFull = false;
    const over = failing((request) =>
      isFull && bytesOf(request) > 0 ? new StoreError("full", "no space") : undefined,
    );
    const storage = await serving(rules(10), over);
    await create(storage, "a", "red");
    isFull = true;
    await remove(storage, "a");
    await expect(create(storage, "b", "red")).rejects.toMatchObject({ code: 500 });
  });
});

test("a revision that cannot be decrypted is told as such, and its state is an error", async () => {
  const storage = await serving(rules(10), encrypted(store, ["one"]));
  const red = await create(storage, "a", "red");
  await paint(storage, "a", "blue");
  const stored = await store.range(KEYS);
  expect(stored.items.map(({ value }) => value.toString("latin1").slice(0, 9))).toEqual(["orch:enc:", "orch:enc:"]);
  const other = await serving(rules(10), encrypted(store, ["two"]));
  const { revisions: told } = await revisions(other, "a");
  expect(told).toHaveLength(2);
  for (const { note } of told) expect(note).toContain("cannot be read");
  await expect(stateOf(other, "a", red)).rejects.toMatchObject({ code: 404 });
  expect(isReason(await stateOf(other, "a", red).catch((error: unknown) => error), "NotFound")).toBe(true);
});

test("a migration encrypts kept states with the present key, and changes nothing that clients see", async () => {
  const former = await serving(rules(5), encrypted(store, ["old"]));
  const first = await create(former, "a", "red");
  await paint(former, "a", "blue");
  await remove(former, "a");
  await create(former, "a", "green");
  const before = await revisions(former, "a");
  const keys = async () =>
    (await store.range(KEYS)).items.map(({ value }) => /aesgcm:v1:(\w+):/.exec(value.toString("latin1"))?.[1]);
  expect(new Set(await keys())).toEqual(new Set(["old"]));

  const later = await serving(rules(5), encrypted(store, ["new", "old"]));
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  expect(await later.rewriteHistory?.(turn)).toBe(before.revisions.length);
  expect(turns).toBe(before.revisions.length);
  expect(new Set(await keys())).toEqual(new Set(["new"]));
  expect(await later.rewriteHistory?.(turn)).toBe(0);

  // The former key is not needed any more. The object itself is migrated separately.
  const last = await serving(rules(5), encrypted(store, ["new"]));
  const after = (await revisions(last, "a")).revisions;
  expect(
    after.map(({ resourceVersion, replaces, change, user }) => ({ resourceVersion, replaces, change, user })),
  ).toEqual(
    before.revisions.map(({ resourceVersion, replaces, change, user }) => ({
      resourceVersion,
      replaces,
      change,
      user,
    })),
  );
  expect(await stateOf(last, "a", first)).toEqual({ version: first, spec: { color: "red", size: 1 } });
});
