import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ManyValuesError, serviceUnavailable, type WorkerConverter } from "@orch/machinery";
import { EventLoopYielder } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { Store } from "@orch/store";
import type { Entry } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import type { StoredEntry } from "../objects/stored-entry";
import { delivered, listing, readEvents, startRegistry, watching, writing } from "../testing/harness";
import { convertedWidgets, OddConverter, CONVERTED_V1 as V1, CONVERTED_V2 as V2 } from "../testing/odd-converter";
import { createMany, createOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";
import { EntryConversions } from "./entry-conversions";
import { WriteConversions } from "./write-conversions";

let store: Store;
let registry: Registry;
let converter: OddConverter;
let storage: ResourceStorage;

beforeEach(async () => {
  ({ store, registry } = await startRegistry());
  converter = new OddConverter();
  storage = registry.resource(convertedWidgets(converter));
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

const at = (name: string) => ({ namespace: "default", name });
const MOST_RECENT = { kind: "mostRecent" } as const;
const json = (entry: Entry, version = V2) => JSON.parse(entry.json(version).toString());
const callsOf = () => converter.calls.map(({ names, versions }) => `${versions}: ${names.join(" ")}`);

async function entriesIn(of = storage): Promise<readonly Entry[]> {
  await delivered();
  return (await of.list(listing())).entries;
}

/** Waits until the converter has received `count` calls. */
async function asked(count: number): Promise<void> {
  while (converter.calls.length < count) await new Promise(setImmediate);
}

class Leaving {
  aborted = false;
  private readonly attached = new Set<() => void>();
  addEventListener(_type: "abort", listener: () => void): void {
    this.attached.add(listener);
  }
  removeEventListener(_type: "abort", listener: () => void): void {
    this.attached.delete(listener);
  }
  leave(): void {
    this.aborted = true;
    for (const listener of this.attached) listener();
  }
  get listeners(): number {
    return this.attached.size;
  }
}

test("a definition whose functions say all has nothing to prepare", () => {
  expect(registry.resource(widgets).prepare).toBeUndefined();
});

describe("where there is a place for what takes long", () => {
  const MANY = { color: "red", items: Array.from({ length: 3000 }, (_, at) => at) };
  let elsewhere: string[][];
  let inTwoThreads: ResourceStorage;

  const convert: WorkerConverter = async (objects, { to }) => {
    elsewhere.push(objects.map(({ path }) => path));
    return objects.map(({ stored }) => {
      const object = JSON.parse(stored.toString());
      return Buffer.from(JSON.stringify({ ...object, apiVersion: to.apiVersion, spec: MANY }));
    });
  };

  beforeEach(() => {
    elsewhere = [];
    inTwoThreads = registry.resource(convertedWidgets(Object.assign(converter, { elsewhere: convert })));
  });

  test("only objects of many values are converted in a worker thread", async () => {
    await createOne(inTwoThreads, "few");
    await createOne(inTwoThreads, "many", widget("many", { spec: MANY }));
    const [few, many] = (await entriesIn(inTwoThreads)) as [Entry, Entry];
    await inTwoThreads.prepare?.([few], V2);
    await inTwoThreads.prepare?.([many], V2);
    expect([callsOf(), elsewhere]).toEqual([["v1 v2: few"], [["default/many"]]]);
    expect(json(many).spec).toEqual(MANY);
    expect(inTwoThreads.prepare?.([few, many], V2)).toBeUndefined();
  });

  test("so are many objects that have many values in total", async () => {
    for (let at = 0; at < 6; at += 1) {
      const items = MANY.items.slice(0, 2000);
      await createOne(inTwoThreads, `w${at}`, widget(`w${at}`, { spec: { color: "red", items } }));
    }
    await inTwoThreads.prepare?.(await entriesIn(inTwoThreads), V2);
    expect([callsOf(), elsewhere.map(({ length }) => length)]).toEqual([[], [6]]);
  });

  test("so is one that has become large, which is large from then on", async () => {
    await createOne(inTwoThreads, "a");
    const [entry] = (await entriesIn(inTwoThreads)) as [Entry];
    expect([entry.isLarge, inTwoThreads.isLarge(at("a"))]).toEqual([false, false]);
    converter.answersAtOnce = false;
    const prepared = inTwoThreads.prepare?.([entry], V2);
    await asked(1);
    converter.calls[0]?.fail(new ManyValuesError("too many for this thread"));
    await prepared;
    expect(json(entry).spec).toEqual(MANY);
    expect([entry.isLarge, inTwoThreads.isLarge(at("a"))]).toEqual([true, true]);
  });

  test("an object expected to grow beyond the limit is converted once", async () => {
    await createOne(inTwoThreads, "a");
    await createOne(inTwoThreads, "b");
    const [first, second] = (await entriesIn(inTwoThreads)) as [Entry, Entry];
    converter.answersAtOnce = false;
    const prepared = inTwoThreads.prepare?.([first], V2);
    await asked(1);
    converter.calls[0]?.fail(new ManyValuesError("too many for this thread"));
    await prepared;
    await inTwoThreads.prepare?.([second], V2);
    expect([callsOf(), elsewhere]).toEqual([["v1 v2: a"], [["default/a"], ["default/b"]]]);
  });

  test("a write that meets one is not done here", async () => {
    await createOne(inTwoThreads, "a");
    await delivered();
    converter.answersAtOnce = false;
    const body = { ...widget("a", { spec: { colour: "blue" } }), apiVersion: V2.apiVersion };
    const written = inTwoThreads.update(body, at("a"), { ...writing(), version: V2 });
    await asked(1);
    converter.calls[0]?.fail(new ManyValuesError("too many for this thread"));
    await expect(written).rejects.toThrow(ManyValuesError);
    expect(json((await entriesIn(inTwoThreads))[0] as Entry, V1).spec.color).toBe("red");
  });

  test("errors of a worker thread equal those of the main thread", async () => {
    const wrong: WorkerConverter = async () => [];
    const odd = registry.resource(convertedWidgets(Object.assign(new OddConverter(), { elsewhere: wrong })));
    await createOne(odd, "many", widget("many", { spec: MANY }));
    await expect(odd.prepare?.(await entriesIn(odd), V2)).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(/v1 to .*v2 failed: the converter returned 0 objects for 1/),
    });
  });
});

describe("conversions of reads", () => {
  test("is there at once in the version in which it is stored", async () => {
    await createMany(storage, 3);
    const entries = await entriesIn();
    expect(storage.prepare?.(entries, V1)).toBeUndefined();
    expect(entries.map((entry) => json(entry, V1).spec.color)).toEqual(["red", "red", "red"]);
    expect(converter.calls).toEqual([]);
  });

  test("is converted in one call, once for each entry and version", async () => {
    const names = await createMany(storage, 3);
    const entries = await entriesIn();
    await storage.prepare?.(entries, V2);
    expect(callsOf()).toEqual([`v1 v2: ${names.join(" ")}`]);
    expect(entries.map((entry) => json(entry).spec)).toEqual(names.map(() => ({ colour: "red", size: 1 })));
    expect(json(entries[0] as Entry).metadata.resourceVersion).toBe(String(entries[0]?.resourceVersion));
    expect(entries[0]?.item(V2).toString()).toMatch(/^\{"metadata":/);
    expect(storage.prepare?.(entries, V2)).toBeUndefined();
    await createOne(storage, "z");
    await storage.prepare?.(await entriesIn(), V2);
    expect(callsOf()[1]).toBe("v1 v2: z");
  });

  test("is asked for in batches, one after the other", async () => {
    await createMany(storage, 600);
    await storage.prepare?.(await entriesIn(), V2);
    expect(converter.calls.map(({ names }) => names.length)).toEqual([250, 250, 100]);
  });

  test("is waited for together by all who want it, whatever is answered first", async () => {
    const names = await createMany(storage, 4);
    const [a, b, c, d] = (await entriesIn()) as [Entry, Entry, Entry, Entry];
    converter.answersAtOnce = false;
    const first = storage.prepare?.([a, b], V2);
    const second = storage.prepare?.([b, c], V2);
    const third = storage.prepare?.([d], V2);
    await asked(3);
    expect(callsOf()).toEqual([`v1 v2: ${names[0]} ${names[1]}`, `v1 v2: ${names[2]}`, `v1 v2: ${names[3]}`]);
    converter.calls[2]?.answer();
    await third;
    expect(json(d).metadata.name).toBe(names[3]);
    converter.calls[1]?.answer();
    converter.calls[0]?.answer();
    await Promise.all([first, second]);
    expect([a, b, c].map((entry) => json(entry).metadata.name)).toEqual(names.slice(0, 3));
  });

  test("fails with a Status for all who wait, and is asked for anew by those who come later", async () => {
    await createMany(storage, 2);
    const entries = await entriesIn();
    converter.answersAtOnce = false;
    const waiting = [storage.prepare?.(entries, V2), storage.prepare?.(entries, V2)];
    await asked(1);
    converter.calls[0]?.fail(serviceUnavailable("the converter is away"));
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 503 });
    converter.answersAtOnce = true;
    await storage.prepare?.(entries, V2);
    expect(json(entries[1] as Entry).spec.colour).toBe("red");
  });

  test.each<[string, (objects: JsonObject) => unknown, RegExp]>([
    ["an exception", () => new Error("connect ECONNREFUSED"), /v1 to .*v2 failed: connect ECONNREFUSED/],
    ["too few objects", () => [], /the converter returned 0 objects for 1/],
    [
      "objects of the wrong version",
      (object) => [object],
      /the converter returned an object of kind "Widget" and apiVersion "test.example\/v1"/,
    ],
    ["no objects", () => [null], /failed/],
  ])("an answer that is %s is an internal error that says so", async (_name, answer, message) => {
    await createOne(storage, "a");
    const entries = await entriesIn();
    converter.answersAtOnce = false;
    const waiting = storage.prepare?.(entries, V2);
    await asked(1);
    const answered = answer(json(entries[0] as Entry, V1));
    if (answered instanceof Error) converter.calls[0]?.fail(answered);
    else converter.calls[0]?.answerWith(answered as JsonObject[]);
    await expect(waiting).rejects.toMatchObject({ code: 500, message: expect.stringMatching(message) });
  });

  test("is given up when the last who waits has left, and not before", async () => {
    await createMany(storage, 2);
    const entries = await entriesIn();
    converter.answersAtOnce = false;
    const [one, other] = [new Leaving(), new Leaving()];
    const waiting = [
      storage.prepare?.(entries, V2, { signal: one }),
      storage.prepare?.(entries.slice(1), V2, { signal: other }),
    ];
    await asked(1);
    one.leave();
    await expect(waiting[0]).rejects.toMatchObject({ reason: "Timeout" });
    expect(converter.calls[0]?.signal.aborted).toBe(false);
    other.leave();
    await expect(waiting[1]).rejects.toMatchObject({ reason: "Timeout" });
    expect(converter.calls[0]?.signal.aborted).toBe(true);
    expect([one.listeners, other.listeners]).toEqual([0, 0]);
    const again = storage.prepare?.(entries, V2);
    await asked(2);
    converter.calls[0]?.fail(new Error("late"));
    converter.calls[1]?.answer();
    await again;
    expect(json(entries[0] as Entry).spec.colour).toBe("red");
  });

  test("holds nothing of what is over", async () => {
    await createMany(storage, 2);
    const entries = (await entriesIn()) as readonly StoredEntry[];
    const conversions = new EntryConversions({ converter, loop: new EventLoopYielder() });
    const waiting = conversions.prepare(entries, V2);
    expect(conversions.underWay).toBe(2);
    await waiting;
    await new Promise(setImmediate);
    expect(conversions.underWay).toBe(0);
  });

  test("is told of by watches as it was stored, for the reader to prepare", async () => {
    const watcher = await storage.watch(watching({ version: V2 }));
    await createOne(storage, "a");
    const [event] = await readEvents(watcher, 1);
    if (event === undefined || !("entry" in event)) throw new Error("no event");
    await storage.prepare?.([event.entry], V2);
    expect(JSON.parse(event.frame(V2).toString()).object.spec.colour).toBe("red");
    watcher.fail(serviceUnavailable("no"));
    expect(await readEvents(watcher, 1)).toMatchObject([{ type: "ERROR", status: { code: 503 } }]);
  });
});

describe("objects that were stored in another version", () => {
  let later: ResourceStorage;
  beforeEach(async () => {
    await createMany(storage, 2);
    await delivered();
    later = registry.resource(convertedWidgets(converter, V2));
  });

  test("are shown to those who come back by what has happened before", async () => {
    const start = (await entriesIn(later))[0]?.resourceVersion as never;
    const watcher = await later.watch(watching({ start: { kind: "exact", resourceVersion: start } }));
    const [event] = await readEvents(watcher, 1);
    if (event === undefined || !("entry" in event)) throw new Error("no event");
    await later.prepare?.([event.entry], V2);
    expect(JSON.parse(event.frame(V2).toString()).object.spec).toEqual({ colour: "red", size: 1 });
    watcher.close();
  });

  test("stay as they are until they are wanted otherwise", async () => {
    const entries = await entriesIn(later);
    expect(entries.map(({ labels }) => labels)).toEqual([{ tenth: "yes" }, {}]);
    expect(json(entries[0] as Entry, V1).spec.color).toBe("red");
    expect(converter.calls).toEqual([]);
    await later.prepare?.(entries, V2);
    expect(entries.map((entry) => entry.object()["spec"])).toEqual([
      { colour: "red", size: 1 },
      { colour: "red", size: 1 },
    ]);
  });

  test("are stored in the new one by any write, even one that changes nothing", async () => {
    const [entry] = (await entriesIn(later)) as [Entry];
    const same = { ...json(entry, V1) };
    const { entry: written } = await later.update(same, at(entry.name), writing({ version: V1 }));
    expect(written.resourceVersion).toBeGreaterThan(entry.resourceVersion);
    expect(JSON.parse(written.stored().toString())).toMatchObject({
      apiVersion: "test.example/v2",
      spec: { colour: "red" },
    });
    await delivered();
    const { entry: again } = await later.update(json(written, V2), at(entry.name), writing({ version: V2 }));
    expect(again.resourceVersion).toBe(written.resourceVersion);
  });

  test("are deleted, and shown as they last were", async () => {
    const [entry] = (await entriesIn(later)) as [Entry];
    const { entry: last } = await later.delete(at(entry.name), {}, writing({ version: V2 }));
    expect(last.resourceVersion).toBeGreaterThan(entry.resourceVersion);
    await later.prepare?.([last], V2);
    expect(json(last).spec.colour).toBe("red");
  });
});

describe("conversions of writes", () => {
  test("is stored in the storage version, whichever it comes in", async () => {
    const body = { ...widget("a", { spec: { colour: "blue" } }), apiVersion: V2.apiVersion };
    const { entry } = await storage.create(body, { namespace: "default", name: "" }, writing({ version: V2 }));
    expect(json(entry, V1).spec).toEqual({ color: "blue", size: 1 });
    const merge = { kind: "merge", body: { spec: { colour: "green" } } } as const;
    const noticed = () => undefined;
    const patched = await storage.patch(merge, at("a"), { ...writing({ version: V2 }), noticed });
    expect(json(patched.entry, V1).spec).toEqual({ color: "green", size: 1 });
  });

  test("has owners in each version, and one that loses a field loses it whatever it is called", async () => {
    const noticed = () => undefined;
    const applied = (version: typeof V1, manager: string, spec: JsonObject, force = false) =>
      storage.patch(
        { kind: "apply", force, body: { ...widget("a", { spec }), apiVersion: version.apiVersion } },
        at("a"),
        { ...writing({ version, manager }), noticed },
      );
    await applied(V1, "one", { color: "red" });
    await delivered();
    await expect(applied(V2, "two", { colour: "blue" })).rejects.toMatchObject({
      reason: "Conflict",
      message: expect.stringContaining('conflict with "one"'),
    });
    const { entry } = await applied(V2, "two", { colour: "blue" }, true);
    expect(json(entry, V1).spec.color).toBe("blue");
    const owners = json(entry, V1).metadata.managedFields as {
      manager: string;
      apiVersion: string;
      fieldsV1: object;
    }[];
    const spec = owners.map(({ manager, fieldsV1 }) => [manager, (fieldsV1 as JsonObject)["f:spec"]]);
    expect(spec).toEqual([
      ["one", {}],
      ["two", { ".": {}, "f:colour": {} }],
    ]);
  });

  test("is refused with the converter's Status, and nothing is stored", async () => {
    converter.answersAtOnce = false;
    const body = { ...widget("a"), apiVersion: V2.apiVersion };
    const creating = storage.create(body, { namespace: "default", name: "" }, writing({ version: V2 }));
    await asked(1);
    converter.calls[0]?.fail(serviceUnavailable("the converter is away"));
    await expect(creating).rejects.toMatchObject({ code: 503 });
    expect(await entriesIn()).toEqual([]);
  });

  test("the conversion is canceled when the request ends", async () => {
    converter.answersAtOnce = false;
    const signal = new Leaving();
    const body = { ...widget("a"), apiVersion: V2.apiVersion };
    const creating = storage.create(body, { namespace: "default", name: "" }, writing({ version: V2, signal }));
    await asked(1);
    signal.leave();
    expect(converter.calls[0]?.signal.aborted).toBe(true);
    converter.calls[0]?.fail(converter.calls[0].signal.reason);
    await expect(creating).rejects.toMatchObject({ reason: "Timeout" });
    expect(signal.listeners).toBe(0);
  });

  test("is decided on what the object is by then, where another write came while it was converted", async () => {
    await createOne(storage, "a");
    await delivered();
    converter.answersAtOnce = false;
    const merge = { kind: "merge", body: { spec: { colour: "green" } } } as const;
    const slow = storage.patch(merge, at("a"), { ...writing({ version: V2 }), noticed: () => undefined });
    await asked(1);
    await storage.changeInPlace(
      (object) => ({ ...object, spec: { ...(object["spec"] as object), size: 5 } }),
      at("a"),
      writing(),
    );
    converter.answersAtOnce = true;
    converter.calls[0]?.answer();
    expect(json((await slow).entry, V1).spec).toEqual({ color: "green", size: 5 });
    expect(json(await storage.get(at("a"), MOST_RECENT), V1).spec).toEqual({ color: "green", size: 5 });
  });

  test("leaves nothing held", async () => {
    const parts = { converter, loop: new EventLoopYielder() };
    const conversions = new WriteConversions(parts, new EntryConversions(parts));
    const made = await conversions.settle(() => conversions.converted(widget("a"), V1, V2), undefined);
    expect(made).toMatchObject({ apiVersion: V2.apiVersion, spec: { colour: "red" } });
    expect(conversions.held).toBe(0);
    const failing = conversions.settle(() => {
      conversions.converted(widget("b"), V1, V2);
      throw new Error("another failure");
    }, undefined);
    await expect(failing).rejects.toThrow("another failure");
    expect(conversions.held).toBe(0);
  });
});
