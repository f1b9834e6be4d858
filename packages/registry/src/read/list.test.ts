import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/platform";
import type { Store } from "@orch/store";
import type { ListRequest, ListResult, Selection } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { type ItemSink, itemsLength, writeItems } from "../objects/item-writer";
import { listing, startRegistry, V1, writing } from "../testing/harness";
import { createMany, createOne, removeOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

let store: Store;
let registry: Registry;
let storage: ResourceStorage;

beforeEach(async () => {
  ({ store, registry } = await startRegistry());
  storage = registry.resource(widgets);
});

afterEach(() => registry.close());

const names = ({ entries }: ListResult) => entries.map(({ name }) => name);

async function chunks(
  request: Partial<ListRequest>,
  between: () => Promise<void> = async () => {},
): Promise<ListResult[]> {
  const results: ListResult[] = [];
  let continueToken: string | undefined;
  do {
    const result = await storage.list(
      listing({ ...request, ...(continueToken === undefined ? {} : { continueToken }) }),
    );
    results.push(result);
    continueToken = result.continueToken;
    await between();
  } while (continueToken !== "");
  return results;
}

/** A sink that is full after every item. */
class CollectingSink implements ItemSink {
  readonly parts: Buffer[] = [];
  readonly isFull = true;
  sent = 0;

  byte(byte: number): void {
    this.parts.push(Buffer.from([byte]));
  }

  copy(bytes: Buffer, start: number): void {
    this.parts.push(bytes.subarray(start));
  }

  async sendFull(): Promise<void> {
    this.sent += 1;
  }
}

describe("a list", () => {
  test("is in key order, of one namespace or all", async () => {
    for (const [namespace, name] of [
      ["b", "x"],
      ["a-1", "y"],
      ["a", "z"],
    ] as const) {
      await storage.create(widget(name), { namespace, name: "" }, writing());
    }
    expect((await storage.list(listing())).entries.map((entry) => `${entry.namespace}/${entry.name}`)).toEqual([
      "a-1/y",
      "a/z",
      "b/x",
    ]);
    expect(names(await storage.list(listing({ namespace: "a" })))).toEqual(["z"]);
    expect(names(await storage.list(listing({ namespace: "none" })))).toEqual([]);
  });

  test("a list by an indexed field equals a scan: in a namespace, in chunks, with other terms, after changes", async () => {
    const indexed = registry.resource({ ...widgets, indexedFields: ["spec.color"] });
    for (const [namespace, name, color, app] of [
      ["a", "one", "red", "x"],
      ["a", "two", "red", "y"],
      ["b", "three", "red", "x"],
      ["b", "four", "blue", "x"],
    ] as const) {
      await indexed.create(widget(name, { labels: { app }, spec: { color } }), { namespace, name: "" }, writing());
    }
    const red: Selection = { fields: [{ field: "spec.color", operator: "=", value: "red" }] };
    const taken = async (request: Partial<ListRequest>) => names(await indexed.list(listing(request)));
    expect(await taken({ selection: red })).toEqual(["one", "two", "three"]);
    expect(await taken({ selection: red, namespace: "b" })).toEqual(["three"]);
    expect(await taken({ selection: { ...red, labels: ({ app }) => app === "x" } })).toEqual(["one", "three"]);
    const first = await indexed.list(listing({ selection: red, limit: 2 }));
    expect([names(first), first.remainingItemCount]).toEqual([["one", "two"], undefined]);
    await indexed.delete({ namespace: "b", name: "three" }, {}, writing());
    const { continueToken } = first;
    expect(names(await indexed.list(listing({ selection: red, limit: 2, continueToken })))).toEqual(["three"]);
    expect(await taken({ selection: red })).toEqual(["one", "two"]);
    expect(await taken({ selection: { fields: [{ field: "spec.color", operator: "=", value: "green" }] } })).toEqual(
      [],
    );
  });

  test("a list by an indexed field includes objects of other writers from the start", async () => {
    for (const [name, color] of ["red", "blue", "red"].entries()) {
      await createOne(storage, `w${name}`, widget(`w${name}`, { spec: { color } }));
    }
    const { items } = await store.range({ start: "/registry/test.example/", end: "/registry/test.example0" });
    const { key = "", value = "" } = items[0] ?? {};
    const spaced = Buffer.from(value.toString().replace('"color":', '"color" : '));
    await store.txn({ compare: [], then: [{ kind: "put", key, value: spaced }] });
    const other = await startRegistry({ store });
    const indexed = other.registry.resource({ ...widgets, indexedFields: ["spec.color"] });
    const red: Selection = { fields: [{ field: "spec.color", operator: "=", value: "red" }] };
    expect(names(await indexed.list(listing({ selection: red })))).toEqual(["w0", "w2"]);
    await other.registry.close();
  });

  test("is taken by labels and fields", async () => {
    await createOne(storage, "red1", widget("red1", { labels: { app: "x" } }));
    await createOne(storage, "red2");
    await createOne(storage, "blue", widget("blue", { labels: { app: "x" }, spec: { color: "blue" } }));
    const byLabel: Selection = { labels: (labels) => labels["app"] === "x" };
    const color = (operator: "=" | "!=") => ({ field: "spec.color", operator, value: "red" });
    const name = { field: "metadata.name", operator: "=", value: "red2" } as const;
    const taken = async (selection: Selection, namespace = "") =>
      names(await storage.list(listing({ selection, namespace })));
    expect(await taken(byLabel)).toEqual(["blue", "red1"]);
    expect(await taken({ fields: [color("=")] })).toEqual(["red1", "red2"]);
    expect(await taken({ fields: [color("!=")] })).toEqual(["blue"]);
    expect(await taken({ ...byLabel, fields: [color("=")] })).toEqual(["red1"]);
    expect(await taken({ fields: [name] })).toEqual(["red2"]);
    expect(await taken({ fields: [name] }, "default")).toEqual(["red2"]);
    expect(await taken({ fields: [name, color("!=")] }, "default")).toEqual([]);
  });

  test("joins its items as JSON, of a length known before, and lets what is full be sent in between", async () => {
    await createMany(storage, 30);
    const { entries } = await storage.list(listing());
    for (const count of [0, 1, 30]) {
      const some = entries.slice(0, count);
      const sink = new CollectingSink();
      await writeItems(some, V1, sink);
      const bytes = Buffer.concat(sink.parts);
      expect(await itemsLength(some, V1, new EventLoopYielder())).toBe(bytes.length);
      expect(sink.sent).toBe(count);
      expect(JSON.parse(`[${bytes.toString()}]`)).toEqual(some.map((entry) => JSON.parse(entry.item(V1).toString())));
    }
  });
});

describe("a chunked list", () => {
  test("counts what remains, and ends with an empty token", async () => {
    await createMany(storage, 25);
    const results = await chunks({ limit: 10 });
    expect(results.map(({ entries }) => entries.length)).toEqual([10, 10, 5]);
    expect(results.map(({ remainingItemCount }) => remainingItemCount)).toEqual([15, 5, undefined]);
    expect(new Set(results.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    const exactly = await chunks({ limit: 5, namespace: "default" });
    expect(exactly.map(({ entries }) => entries.length)).toEqual([5, 5, 5, 5, 5]);
  });

  test("shows one state while the collection changes", async () => {
    const all = await createMany(storage, 40);
    let next = 0;
    const results = await chunks({ limit: 7 }, async () => {
      await removeOne(storage, all[next] as string);
      await createOne(storage, `new${next}`);
      next += 5;
    });
    expect(results.flatMap(names)).toEqual(all);
  });

  test("fills every chunk when it selects, without a count", async () => {
    const all = await createMany(storage, 100);
    const selection: Selection = { labels: ({ tenth }) => tenth === "yes" };
    const results = await chunks({ limit: 4, selection });
    expect(results.map(({ entries }) => entries.length)).toEqual([4, 4, 2]);
    expect(results.every(({ remainingItemCount }) => remainingItemCount === undefined)).toBe(true);
    expect(results.flatMap(names)).toEqual(all.filter((_, n) => n % 10 === 0));
    expect((await chunks({ limit: 5, selection })).map(({ entries }) => entries.length)).toEqual([5, 5]);
  });

  test("goes on without a limit to the end", async () => {
    const all = await createMany(storage, 10);
    const { continueToken } = await storage.list(listing({ limit: 4 }));
    expect(names(await storage.list(listing({ continueToken })))).toEqual(all.slice(4));
  });

  test("an expired chunked list is 410, with a token that continues at the latest version", async () => {
    const all = await createMany(storage, 10);
    const { continueToken } = await storage.list(listing({ limit: 4 }));
    await removeOne(storage, all[5] as string);
    const late = await startRegistry({ store });
    await store.compact((await store.status()).revision);
    const elsewhere = late.registry.resource(widgets);
    const error = await elsewhere.list(listing({ limit: 4, continueToken })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      reason: "Expired",
      code: 410,
      message: expect.stringContaining("use the continue token in this response"),
    });
    const renewed = (error as { continueToken: string }).continueToken;
    const rest = await elsewhere.list(listing({ limit: 10, continueToken: renewed }));
    expect(names(rest)).toEqual(all.slice(4).filter((name) => name !== all[5]));
    await late.registry.close();
  });

  test("with a token that is none is 400", async () => {
    await expect(storage.list(listing({ limit: 4, continueToken: "x!" }))).rejects.toMatchObject({ code: 400 });
  });
});

test("1,253 objects with limit 500 are 500, 500, 253 of one state, from other servers, while writers change it", async () => {
  const all = await createMany(storage, 1_253);
  const others = [await startRegistry({ store }), await startRegistry({ store })];
  const sizes: number[] = [];
  const seen: string[] = [];
  let continueToken: string | undefined;
  for (const server of [registry, ...others.map((other) => other.registry)]) {
    const request = listing({ limit: 500, ...(continueToken === undefined ? {} : { continueToken }) });
    const result = await server.resource(widgets).list(request);
    sizes.push(result.entries.length);
    seen.push(...names(result));
    continueToken = result.continueToken;
    for (let n = 0; n < 20; n += 1) await removeOne(storage, all[sizes.length * 300 + n] as string);
    await createMany(storage, 20, `another-${sizes.length}`);
    await others[sizes.length % 2]?.registry.resource(widgets).list(listing({ limit: 1 }));
    if (sizes.length === 1) await createOne(storage, "w0700x");
  }
  expect(sizes).toEqual([500, 500, 253]);
  expect(continueToken).toBe("");
  expect(seen).toEqual(all);
  for (const other of others) await other.registry.close();
});
