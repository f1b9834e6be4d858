import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/platform";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { Store } from "@orch/store";
import type { ListRequest } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { listing, startRegistry, V1 } from "../testing/harness";
import { createMany, createOne, recolor, removeOne } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";
import { sortInSlices } from "./sort-in-slices";
import { compareKeys } from "./sort-key";

let store: Store;
let registry: Registry;
let storage: ResourceStorage;

beforeEach(async () => {
  ({ store, registry } = await startRegistry());
  storage = registry.resource(widgets);
});

afterEach(() => registry.close());

const by = (text: string): NonNullable<ListRequest["order"]> => ({
  path: text.replace("-", "").split(".").slice(1),
  descending: text.startsWith("-"),
  text,
  version: V1,
});
const sorted = (text: string, more: Partial<ListRequest> = {}) => storage.list(listing({ order: by(text), ...more }));
const names = async (text: string, more: Partial<ListRequest> = {}) =>
  (await sorted(text, more)).entries.map(({ name }) => name).join(" ");
const create = (name: string, spec: JsonObject) => createOne(storage, name, widget(name, { spec }));

describe("a sorted list", () => {
  test.each<[string, readonly (JsonValue | undefined)[], string, string]>([
    ["numbers", [10, 9, -1.5, 2e3], "c b a d", "d a b c"],
    ["texts by code unit", ["b", "B", "a", "ä"], "b c a d", "d a c b"],
    ["quantities beside numbers", ["1Gi", "100m", 3, "1500M"], "b c a d", "d a c b"],
    ["times", ["2026-01-02T00:00:00Z", "2025-12-31T00:00:00Z", "2026-01-01T23:59:59Z"], "b c a", "a c b"],
    ["booleans, numbers, texts", ["x", 1, true, false], "d c b a", "a b c d"],
    ["absent values and objects last in both directions", [undefined, 2, { a: 1 }, 1, null], "d b a c e", "b d a c e"],
    ["equal values in the order of names", [1, 1, 0], "c a b", "a b c"],
  ])("orders %s", async (_what, values, ascending, descending) => {
    for (const [at, value] of values.entries()) {
      await create("abcdef"[at] as string, value === undefined ? {} : { weight: value });
    }
    expect(await names(".spec.weight")).toBe(ascending);
    expect(await names("-.spec.weight")).toBe(descending);
  });

  test("compares values below metadata as texts", async () => {
    for (const name of ["9", "10", "1m"]) await create(name, {});
    expect(await names(".metadata.name")).toBe("10 1m 9");
  });

  test("has the field of the requested version", async () => {
    await create("a", { color: "red" });
    await create("b", { color: "blue" });
    const [, , v2] = widgets.versions;
    if (v2 === undefined) throw new Error("there is no v2");
    const { entries } = await sorted(".spec.colour", { order: { ...by(".spec.colour"), version: v2 } });
    expect(entries.map(({ name }) => name)).toEqual(["b", "a"]);
  });

  test("in chunks has every object once, at one revision, whatever changes meanwhile", async () => {
    const count = 3000;
    const all = await createMany(storage, count);
    const pages: string[][] = [];
    const versions = new Set<number>();
    let token = "";
    do {
      const page = await sorted("-.metadata.name", { limit: 1000, ...(token !== "" && { continueToken: token }) });
      pages.push(page.entries.map(({ name }) => name));
      versions.add(page.resourceVersion);
      expect(page.remainingItemCount).toBe(token === "" || pages.length < 3 ? count - pages.length * 1000 : undefined);
      token = page.continueToken;
      await createOne(storage, `w${pages.length}00`);
      await removeOne(storage, all[pages.length] as string);
      await recolor(storage, all[pages.length + 10] as string, "green");
    } while (token !== "");
    expect(pages.flat()).toEqual([...all].reverse());
    expect(pages.map(({ length }) => length)).toEqual([1000, 1000, 1000]);
    expect(versions.size).toBe(1);
  });

  test("takes a selector, and counts only on request", async () => {
    await createMany(storage, 40);
    const selection = { labels: (labels: Readonly<Record<string, string>>) => labels["tenth"] === "yes" };
    const page = await sorted("-.metadata.name", { selection, limit: 3 });
    expect(page.entries.map(({ name }) => name)).toEqual(["w0030", "w0020", "w0010"]);
    expect(page.remainingItemCount).toBeUndefined();
    expect(await sorted(".metadata.name", { selection, limit: 3, count: true })).toMatchObject({
      remainingItemCount: 1,
    });
    expect(await names("-.metadata.name", { selection, limit: 3, continueToken: page.continueToken })).toBe("w0000");
  });

  test("is limited to a namespace", async () => {
    await createMany(storage, 3, "one");
    await createMany(storage, 3, "two");
    const first = await sorted("-.metadata.name", { namespace: "one", limit: 2 });
    expect(first.entries.map(({ path }) => path)).toEqual(["one/w0002", "one/w0001"]);
    const { entries } = await sorted("-.metadata.name", {
      namespace: "one",
      limit: 2,
      continueToken: first.continueToken,
    });
    expect(entries.map(({ path }) => path)).toEqual(["one/w0000"]);
  });

  test("refuses the token of another order", async () => {
    await createMany(storage, 3);
    const { continueToken } = await sorted(".metadata.name", { limit: 1 });
    await expect(sorted("-.metadata.name", { limit: 1, continueToken })).rejects.toThrow(
      "it continues a list with sortBy=.metadata.name; send the same sortBy with it",
    );
    await expect(storage.list(listing({ limit: 1, continueToken }))).rejects.toThrow("with sortBy=.metadata.name");
    const { continueToken: unsorted } = await storage.list(listing({ limit: 1 }));
    await expect(sorted(".metadata.name", { limit: 1, continueToken: unsorted })).rejects.toThrow("without sortBy");
  });

  test("refuses a token of an object that does not exist", async () => {
    await createMany(storage, 3);
    const { continueToken } = await sorted(".metadata.name", { limit: 1 });
    const content = JSON.parse(Buffer.from(continueToken, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...content, start: "default/other\0" })).toString("base64url");
    await expect(sorted(".metadata.name", { limit: 1, continueToken: forged })).rejects.toThrow(
      "invalid continue token",
    );
  });

  test("is 410 at a revision that the cache does not have, without a token", async () => {
    await createMany(storage, 3);
    const { continueToken } = await sorted(".metadata.name", { limit: 1 });
    await createOne(storage, "later");
    await registry.close();
    ({ registry } = await startRegistry({ store }));
    storage = registry.resource(widgets);
    const answer = sorted(".metadata.name", { limit: 1, continueToken });
    await expect(answer).rejects.toMatchObject({ reason: "Expired" });
    await expect(answer).rejects.not.toMatchObject({ details: { continueToken: expect.anything() } });
  });
});

describe("a counted list", () => {
  const selection = { labels: (labels: Readonly<Record<string, string>>) => labels["tenth"] === "yes" };

  test("with a selector tells how many objects follow", async () => {
    await createMany(storage, 60);
    const first = await storage.list(listing({ selection, limit: 2, count: true }));
    expect(first.remainingItemCount).toBe(4);
    const { continueToken } = first;
    const second = await storage.list(listing({ selection, limit: 2, count: true, continueToken }));
    expect(second.remainingItemCount).toBe(2);
    expect((await storage.list(listing({ selection, limit: 2 }))).remainingItemCount).toBeUndefined();
  });

  test("tells 0 when nothing follows, with and without a limit", async () => {
    await createMany(storage, 20);
    expect((await storage.list(listing({ selection, limit: 2, count: true }))).remainingItemCount).toBe(0);
    expect((await storage.list(listing({ selection, count: true }))).remainingItemCount).toBe(0);
    expect((await storage.list(listing({ count: true }))).remainingItemCount).toBe(0);
    expect((await storage.list(listing())).remainingItemCount).toBeUndefined();
  });

  test("is 410 at a revision that the cache does not have, with a token for the rest without that revision", async () => {
    await createMany(storage, 60);
    const { continueToken } = await storage.list(listing({ selection, limit: 2, count: true }));
    await createOne(storage, "later");
    await registry.close();
    ({ registry } = await startRegistry({ store }));
    storage = registry.resource(widgets);
    await expect(storage.list(listing({ selection, limit: 2, count: true, continueToken }))).rejects.toMatchObject({
      reason: "Expired",
    });
    // Without the count, the store answers.
    expect((await storage.list(listing({ selection, limit: 2, continueToken }))).entries).toHaveLength(2);
  });
});

test("a sort in slices equals a stable sort, and yields", async () => {
  const values = Array.from({ length: 10_000 }, (_, at) => ({ key: (at * 7919) % 1013, at }));
  let yielded = 0;
  class Counting extends EventLoopYielder {
    override async pause(): Promise<void> {
      yielded += 1;
    }
  }
  const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
  expect(await sortInSlices([...values], compare, new Counting())).toEqual([...values].sort(compare));
  expect(yielded).toBeGreaterThan(20);
});

test("keys have one order: antisymmetric, and transitive over all kinds of values", () => {
  const keys = [undefined, false, true, -1, 0, 2.5, "", "1x", "a"];
  for (const one of keys) {
    for (const other of keys) {
      expect(Math.sign(compareKeys(one, other, false))).toBe(-Math.sign(compareKeys(other, one, false)) + 0);
    }
  }
  expect([...keys].sort((one, other) => compareKeys(one, other, false))).toEqual([
    ...[false, true, -1, 0, 2.5, "", "1x", "a"],
    undefined,
  ]);
});
