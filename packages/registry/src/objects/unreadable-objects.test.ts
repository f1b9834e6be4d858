import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import { silentLog } from "@orch/platform";
import type { Store } from "@orch/store";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { delivered, listing, readTexts, startRegistry, watching, writing } from "../testing/harness";
import { createOne, recolor, removeOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

const KEY = "/registry/test.example/widgets/default/";
const odd = { namespace: "default", name: "odd" };
const MOST_RECENT = { kind: "mostRecent" } as const;

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let warnings: object[];

beforeEach(async () => {
  warnings = [];
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void warnings.push(fields ?? {}) };
  ({ store, registry } = await startRegistry({ log }));
  storage = registry.resource(widgets);
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

/** Writes bytes directly into the store. @returns the revision */
async function putBytes(name: string, value: string): Promise<number> {
  const then = [{ kind: "put", key: KEY + name, value: Buffer.from(value) }] as const;
  const { revision } = await store.txn({ compare: [], then });
  await delivered();
  return revision;
}

const names = async (of: ResourceStorage = storage) =>
  (await of.list(listing())).entries.map(({ name, resourceVersion }) => `${name}@${resourceVersion}`);

/** A version that `widgets` does not know. */
const [v1] = widgets.versions as [ServedVersion];
const v9: ServedVersion = { ...v1, version: "v9", apiVersion: "test.example/v9" };
const inV9 = (name: string) => JSON.stringify({ ...widget(name), kind: v9.kind, apiVersion: v9.apiVersion });
const withV9: ResourceDefinition = { ...widgets, versions: [...widgets.versions, v9] };

describe("a stored value that is not an object", () => {
  test("is left out of lists, and said to be; a read of it alone fails and names it", async () => {
    const a = await createOne(storage, "a");
    await putBytes("odd", "no json");
    expect(await names()).toEqual([`a@${a}`]);
    expect(storage.unreadable("")).toEqual({ count: 1, paths: ["default/odd"] });
    expect(storage.unreadable("default")).toEqual({ count: 1, paths: ["default/odd"] });
    expect(storage.unreadable("other")).toEqual({ count: 0, paths: [] });
    for (const read of [MOST_RECENT, { kind: "any" }, { kind: "notOlderThan", resourceVersion: a + 1 }] as const) {
      await expect(storage.get(odd, read)).rejects.toMatchObject({
        reason: "InternalError",
        code: 500,
        message: expect.stringContaining(
          'the stored object widgets.test.example "default/odd" cannot be read: it is not JSON',
        ),
      });
    }
    expect(registry.caches()).toMatchObject([{ objects: 1, unreadable: 1 }]);
  });

  test("is told to the operator once, without what is in it, however often it is met", async () => {
    await putBytes("odd", "a secret");
    await putBytes("older", "\u0002 of a form to come");
    for (let count = 0; count < 3; count += 1) {
      await names();
      await storage.list(listing({ read: { kind: "exact", resourceVersion: 3 } }));
      await storage.get(odd, MOST_RECENT).catch(() => {});
    }
    expect(warnings).toEqual([
      { resource: "test.example/widgets", object: "default/odd", why: "it is not JSON" },
      { resource: "test.example/widgets", object: "default/older", why: "a stored value has the unknown format 0x02" },
    ]);
  });

  test("can be deleted, and nothing else be done with it", async () => {
    const revision = await putBytes("odd", "no json");
    await expect(storage.create(widget("odd"), { namespace: "default", name: "" }, writing())).rejects.toMatchObject({
      reason: "AlreadyExists",
    });
    await expect(storage.update(widget("odd"), odd, writing())).rejects.toMatchObject({ reason: "InternalError" });
    const color = { kind: "merge", body: { spec: { color: "blue" } } } as const;
    await expect(storage.patch(color, odd, { ...writing(), noticed: () => {} })).rejects.toMatchObject({ code: 500 });
    const elsewhere = { preconditions: { resourceVersion: String(revision - 1) } };
    await expect(storage.delete(odd, elsewhere, writing())).rejects.toMatchObject({ reason: "Conflict" });
    await expect(storage.delete(odd, { preconditions: { uid: "u" } }, writing())).rejects.toMatchObject({ code: 409 });
    await storage.delete(odd, {}, writing({ dryRun: true }));
    expect(storage.unreadable("").count).toBe(1);

    const { removed, entry } = await storage.delete(odd, {}, writing());
    expect([removed, entry.name, entry.resourceVersion]).toEqual([true, "odd", revision + 1]);
    await expect(storage.get(odd, MOST_RECENT)).rejects.toMatchObject({ code: 404 });
    expect(storage.unreadable("").count).toBe(0);
    await createOne(storage, "odd");
  });

  test("is nothing that a watch hears of: what it knows stays, until there is something to tell", async () => {
    const a = await createOne(storage, "odd");
    const watcher = await storage.watch(watching());
    expect(await readTexts(watcher, 1)).toEqual([`ADDED odd@${a}`]);
    await putBytes("odd", "no json");
    await putBytes("odd", "still none");
    const b = await createOne(storage, "b");
    // The watch never reports a deletion of the present object.
    expect(await readTexts(watcher, 1)).toEqual([`ADDED b@${b}`]);
    const again = await putBytes("odd", JSON.stringify(widget("odd")));
    expect(await readTexts(watcher, 1)).toEqual([`MODIFIED odd@${again}`]);
    await putBytes("odd", "no json");
    const { entry } = await storage.delete(odd, {}, writing());
    await putBytes("new", "no json");
    const c = await createOne(storage, "c");
    expect(await readTexts(watcher, 2)).toEqual([`DELETED odd@${entry.resourceVersion}`, `ADDED c@${c}`]);
  });

  test("is in no past state, and the states before and after it are whole", async () => {
    const states: string[][] = [];
    const note = async (revision: number) => {
      states[revision] = await names();
    };
    await note(await createOne(storage, "a"));
    await note(await createOne(storage, "odd"));
    await note(await putBytes("odd", "no json"));
    await note(await recolor(storage, "a", "blue"));
    await note(await putBytes("odd", JSON.stringify(widget("odd"))));
    await note(await putBytes("odd", "no json"));
    await store.txn({ compare: [], then: [{ kind: "delete", start: `${KEY}odd` }] });
    await delivered();
    await note(await removeOne(storage, "a"));
    for (const [revision, expected] of states.entries()) {
      if (expected === undefined) continue;
      const read = { kind: "exact", resourceVersion: revision } as const;
      const { entries } = await storage.list(listing({ read }));
      expect([revision, entries.map((entry) => `${entry.name}@${entry.resourceVersion}`)]).toEqual([
        revision,
        expected,
      ]);
    }
  });
});

describe("a definition that can read what the former could not", () => {
  test("finds it, whether it takes the former's place or comes after it", async () => {
    const a = await createOne(storage, "a");
    const late = await putBytes("late", inV9("late"));
    const mark = await putBytes("mark", "no json");
    expect(await names()).toEqual([`a@${a}`]);
    const next = registry.resource(withV9);
    expect(await names(next)).toEqual([`a@${a}`, `late@${late}`]);
    expect(next.unreadable("")).toEqual({ count: 1, paths: ["default/mark"] });

    // Returns to the definition that cannot read it, releases that one, and serves the new one again: no object is
    // lost.
    const former = registry.resource({ ...widgets });
    expect(await names(former)).toEqual([`a@${a}`]);
    registry.release(former.definition);
    const last = registry.resource(withV9);
    expect(await names(last)).toEqual([`a@${a}`, `late@${late}`]);
    await expect(last.get({ namespace: "default", name: "mark" }, MOST_RECENT)).rejects.toMatchObject({ code: 500 });
    expect((await store.range({ start: `${KEY}mark` })).items).toMatchObject([{ modRevision: mark }]);
  });

  test("leaves those who still ask the former with what the store has, and their watches ended", async () => {
    await createOne(storage, "a");
    registry.resource({ ...widgets });
    const b = await createOne(storage, "b");
    // Reads through the former storage, like a request that was in progress when the definition was replaced.
    expect((await storage.get({ namespace: "default", name: "b" }, { kind: "any" })).resourceVersion).toBe(b);
    expect((await storage.list(listing())).entries.map(({ name }) => name)).toEqual(["a", "b"]);
    const watcher = await storage.watch(watching());
    expect([watcher.take(10), watcher.ended]).toEqual([[], "closed"]);
  });
});
