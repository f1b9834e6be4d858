// Resources that are added, replaced and removed while others are served.
import { queryObjects } from "node:v8";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import type { Store } from "@orch/store";
import { ManualClock } from "@orch/testing";
import { ResourceCache } from "./cache/resource-cache";
import type { Watcher } from "./contract/operations";
import type { Registry } from "./contract/registry";
import type { ResourceStorage } from "./contract/resource-storage";
import {
  delivered,
  eventText,
  listing,
  readEvents,
  readTexts,
  startRegistry,
  watching,
  writing,
} from "./testing/harness";
import { createMany, createOne, recolor, removeOne } from "./testing/sample";
import { gadgets, widgets } from "./testing/widgets";

let store: Store;
let registry: Registry;
let clock: ManualClock;
/** The resources for which the store was read. */
let storeReads: string[];

beforeEach(async () => {
  clock = new ManualClock();
  storeReads = [];
  const observer = { storeRead: (resource: string) => void storeReads.push(resource) };
  ({ store, registry } = await startRegistry({ clock, observer }));
});

afterEach(async () => {
  await registry.close();
  await store.close();
});

const MOST_RECENT = { kind: "mostRecent" } as const;
const at = (name: string) => ({ namespace: "default", name });
/** Returns another definition of the same resource. The difference does not change how objects are read. */
const again = (more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({ ...widgets, ...more });

async function texts(watcher: Watcher): Promise<string[]> {
  return (await readEvents(watcher, Number.POSITIVE_INFINITY)).map((event) => eventText(event));
}

const versionsIn = async (storage: ResourceStorage) =>
  (await storage.list(listing())).entries.map(({ name, resourceVersion }) => `${name}@${resourceVersion}`);

describe("a definition that takes the place of another", () => {
  test("shows the same objects at the same versions, without asking the store for them", async () => {
    const former = registry.resource(widgets);
    await createMany(former, 3);
    await delivered();
    const before = await versionsIn(former);
    const storage = registry.resource(again({ shortNames: ["w"] }));
    expect(await versionsIn(storage)).toEqual(before);
    expect(storeReads).toEqual([]);
  });

  test("reads the objects anew where it reads them otherwise", async () => {
    const former = registry.resource(widgets);
    const [name] = await createMany(former, 3);
    await delivered();
    const completion = {
      members: [{ name: "weight" }],
      complete: (object: Record<string, unknown>) => void Object.assign(object, { weight: 1 }),
    };
    const storage = registry.resource(again({ completion }));
    expect((await storage.get(at(name as string), MOST_RECENT)).object()).toMatchObject({ weight: 1 });
    expect(storeReads).toEqual([]);
  });

  test("ends the watches of the former after what they have to show, with a bookmark from which they go on", async () => {
    const former = registry.resource(widgets);
    const [a] = (await createMany(former, 1)) as [string];
    await delivered();
    const start = Number((await versionsIn(former))[0]?.split("@")[1]);
    const [told, silent] = await Promise.all([
      former.watch(watching({ start: { kind: "exact", resourceVersion: start as never }, bookmarks: true })),
      former.watch(watching({ start: { kind: "exact", resourceVersion: start as never } })),
    ]);
    await recolor(former, a, "blue");
    await delivered();
    const storage = registry.resource(again());
    await createOne(storage, "later");
    await delivered();
    expect(await texts(silent)).toEqual([`MODIFIED ${a}@${start + 1}`]);
    expect(await texts(told)).toEqual([`MODIFIED ${a}@${start + 1}`, `BOOKMARK ${start + 1}`]);
    const next = await storage.watch(watching({ start: { kind: "exact", resourceVersion: (start + 1) as never } }));
    expect(await readTexts(next, 1)).toEqual([`ADDED later@${start + 2}`]);
    next.close();
  });

  test("keeps the recent changes, for those who come back from before it", async () => {
    const former = registry.resource(widgets);
    const [a, b] = (await createMany(former, 2)) as [string, string];
    await delivered();
    const start = Number((await versionsIn(former))[0]?.split("@")[1]);
    await removeOne(former, b);
    await recolor(former, a, "green");
    await delivered();
    const storage = registry.resource(again());
    const watcher = await storage.watch(watching({ start: { kind: "exact", resourceVersion: start as never } }));
    expect(await readTexts(watcher, 3)).toEqual([
      `ADDED ${b}@${start + 1}`,
      `DELETED ${b}@${start + 2}`,
      `MODIFIED ${a}@${start + 3}`,
    ]);
    expect(storeReads).toEqual([]);
    watcher.close();
  });

  test("lets what is under way be finished as it was begun: reads are of now, and writes are not lost", async () => {
    const former = registry.resource(widgets);
    const [a] = (await createMany(former, 1)) as [string];
    await delivered();
    const storage = registry.resource(again());
    await recolor(storage, a, "blue");
    await delivered();
    expect((await former.get(at(a), MOST_RECENT)).object()).toMatchObject({ spec: { color: "blue" } });
    expect((await former.list(listing())).entries.map((entry) => entry.field("spec.color"))).toEqual(["blue"]);
    const change = (object: object) => ({ ...object, spec: { color: "green" } });
    await former.changeInPlace(change, at(a), writing());
    await delivered();
    expect((await storage.get(at(a), MOST_RECENT)).object()).toMatchObject({ spec: { color: "green" } });
    const late = await former.watch(watching());
    expect(late.ended).toBe("closed");
  });

  test("an identical definition changes nothing", async () => {
    const watcher = await registry.resource(widgets).watch(watching({ start: { kind: "any" } }));
    registry.resource(gadgets);
    const storage = registry.resource(widgets);
    await createOne(storage, "a");
    expect(await readTexts(watcher, 1)).toEqual([expect.stringMatching(/^ADDED a@/)]);
    expect(watcher.ended).toBeUndefined();
    watcher.close();
  });
});

describe("a resource that is taken away", () => {
  test("ends its watches after the last change, by an event that says so; others go on", async () => {
    const storage = registry.resource(widgets);
    const other = await registry.resource(gadgets).watch(watching({ version: gadgets.storage }));
    const watcher = await storage.watch(watching());
    await createOne(storage, "a");
    await delivered();
    registry.release(widgets);
    const events = await readEvents(watcher, Number.POSITIVE_INFINITY);
    expect(events.map((event) => eventText(event))).toEqual([expect.stringMatching(/^ADDED a@/), "ERROR 404"]);
    const last = events.at(-1);
    expect(last?.type === "ERROR" && last.status).toMatchObject({
      reason: "NotFound",
      details: { group: "test.example", kind: "widgets" },
    });
    expect(other.ended).toBeUndefined();
    other.close();
  });

  test("keeps its objects, and what happens to them, for when it comes back", async () => {
    const storage = registry.resource(widgets);
    const [a] = (await createMany(storage, 2)) as [string];
    await delivered();
    registry.release(widgets);
    await removeOne(storage, a);
    await createOne(storage, "z");
    await delivered();
    const names = (await registry.resource(again()).list(listing())).entries.map(({ name }) => name);
    expect(names).not.toContain(a);
    expect(names).toContain("z");
  });

  test("does not wait for a client that does not read the end", async () => {
    const watcher = await registry.resource(widgets).watch(watching());
    await createOne(registry.resource(widgets), "a");
    await delivered();
    registry.release(widgets);
    clock.advance(29_000);
    expect(watcher.ended).toBeUndefined();
    clock.advance(2_000);
    expect(watcher.ended).toBe("tooSlow");
  });
});

test("two hundred resources that come and go, watched and replaced, leave nothing behind", async () => {
  const kept = registry.resource(gadgets);
  const before = queryObjects(ResourceCache, { format: "count" });
  for (let at = 0; at < 200; at += 1) {
    const plural = `things${at}`;
    const definition = again({ plural });
    const storage = registry.resource(definition);
    const watcher = await storage.watch(watching({ start: { kind: "any" } }));
    if (at % 10 === 0) {
      await createOne(storage, "a");
      await removeOne(storage, "a");
      await delivered();
    }
    registry.resource(again({ plural, shortNames: ["t"] }));
    await texts(watcher);
    registry.release(definition);
  }
  clock.advance(1_000);
  expect(registry.caches().map(({ definition }) => definition)).toEqual([kept.definition]);
  expect(queryObjects(ResourceCache, { format: "count" })).toBe(before);
});
