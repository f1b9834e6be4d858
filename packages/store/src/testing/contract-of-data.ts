// The store contract: ranges and transactions.

import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Operation, Revision, Store, TxnRequest } from "../contract/contract";
import { REQUEST_MAX_BYTES } from "../contract/request-limits";
import { folder, writing } from "./contract-fixture";

export function describeData(opened: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = opened();
  });
  const { put, remove, now } = writing(opened);

  describe("ranges", () => {
    test("an item tells its creation, its last change and how often it was written", async () => {
      const { key } = folder();
      const created = await put(key("a"), "1");
      const changed = await put(key("a"), "2");
      const { items, count, more, revision } = await store.range({ start: key("a") });
      expect(items).toMatchObject([
        {
          key: key("a"),
          value: Buffer.from("2"),
          createRevision: created,
          modRevision: changed,
          version: 2,
          lease: 0,
        },
      ]);
      expect({ count, more }).toEqual({ count: 1, more: false });
      expect(revision).toBeGreaterThanOrEqual(changed);
    });

    test("a key that was deleted and written again begins anew", async () => {
      const { key } = folder();
      await put(key("a"), "1");
      await remove(key("a"));
      const created = await put(key("a"), "2");
      const [item] = (await store.range({ start: key("a") })).items;
      expect(item).toMatchObject({ createRevision: created, modRevision: created, version: 1 });
    });

    test("an old revision shows what was there then", async () => {
      const { key, all } = folder();
      const first = await put(key("a"), "1");
      const second = await put(key("b"), "1");
      const third = await put(key("a"), "2");
      await remove(key("b"));
      const at = async (revision: Revision) =>
        (await store.range({ ...all, revision })).items.map((item) => `${item.key.slice(-1)}=${item.value}`);
      expect(await at(first)).toEqual(["a=1"]);
      expect(await at(second)).toEqual(["a=1", "b=1"]);
      expect(await at(third)).toEqual(["a=2", "b=1"]);
      expect(await at(0)).toEqual(["a=2"]);
    });

    test("a limit cuts the items, not the count", async () => {
      const { key, all } = folder();
      for (const name of ["a", "b", "c"]) await put(key(name), name);
      const page = await store.range({ ...all, limit: 2 });
      expect(page.items.map((item) => item.key)).toEqual([key("a"), key("b")]);
      expect(page).toMatchObject({ count: 3, more: true });
      expect(await store.range({ ...all, limit: 3 })).toMatchObject({ count: 3, more: false });
    });

    test("keys alone", async () => {
      const { key, all } = folder();
      const revision = await put(key("a"), "1");
      const [item] = (await store.range({ ...all, keysOnly: true })).items;
      expect(item).toMatchObject({ key: key("a"), value: Buffer.alloc(0), modRevision: revision });
    });

    test("keys are ordered by their bytes, and the end is excluded", async () => {
      const { key, all } = folder();
      const byBytes = ["A", "a", "a/b", "b", "é", "日", "\uffee", "😀"];
      for (const name of byBytes.toReversed()) await put(key(name), "1");
      const names = async (from: string, to: string) =>
        (await store.range({ start: key(from), end: key(to) })).items.map((item) => item.key);
      expect((await store.range(all)).items.map((item) => item.key)).toEqual(byBytes.map(key));
      expect(await names("a", "b")).toEqual([key("a"), key("a/b")]);
      expect(await names("\uffee", "😀")).toEqual([key("\uffee")]);
    });

    test("the end U+0000 means to the end of the key space, the start may be empty", async () => {
      const { key } = folder();
      await put(key("a"), "1");
      const keys = async (start: string) =>
        (await store.range({ start, end: "\0", keysOnly: true })).items.map((item) => item.key);
      expect(await keys("")).toContain(key("a"));
      expect(await keys(key("a"))).toContain(key("a"));
      expect(await keys(key("b"))).not.toContain(key("a"));
    });

    test("a revision that does not exist yet is refused", async () => {
      const { key } = folder();
      const revision = (await now()) + 1000;
      await expect(store.range({ start: key("a"), revision })).rejects.toMatchObject({ code: "futureRevision" });
    });

    test("many large values come in one answer", async () => {
      const { key, all } = folder();
      const value = Buffer.alloc(1_000_000, "x");
      for (let i = 0; i < 6; i++) {
        await store.txn({ compare: [], then: [{ kind: "put", key: key(`${i}`), value }] });
      }
      const { items } = await store.range(all);
      expect(items.map((item) => item.value.equals(value))).toEqual(Array(6).fill(true));
    });
  });

  describe("transactions", () => {
    test("guards decide which branch runs", async () => {
      const { key } = folder();
      const revision = await put(key("a"), "1");
      const outcome = async (compare: TxnRequest["compare"]) => (await store.txn({ compare, then: [] })).succeeded;
      const a = key("a");
      const none = key("none");
      expect(await outcome([{ key: a, target: "modRevision", is: "=", revision }])).toBe(true);
      expect(await outcome([{ key: a, target: "modRevision", is: "=", revision: revision - 1 }])).toBe(false);
      expect(await outcome([{ key: a, target: "modRevision", is: ">", revision: revision - 1 }])).toBe(true);
      expect(await outcome([{ key: a, target: "modRevision", is: "<", revision }])).toBe(false);
      expect(await outcome([{ key: a, target: "createRevision", is: "!=", revision: 0 }])).toBe(true);
      expect(await outcome([{ key: a, target: "version", is: "=", version: 1 }])).toBe(true);
      expect(await outcome([{ key: none, target: "createRevision", is: "=", revision: 0 }])).toBe(true);
      expect(await outcome([{ key: none, target: "modRevision", is: "=", revision: 0 }])).toBe(true);
      expect(await outcome([{ key: none, target: "version", is: ">", version: 0 }])).toBe(false);
      expect(
        await outcome([
          { key: a, target: "version", is: "=", version: 1 },
          { key: none, target: "version", is: "=", version: 1 },
        ]),
      ).toBe(false);
    });

    test("the else branch brings what is there, and changes nothing by itself", async () => {
      const { key } = folder();
      const revision = await put(key("a"), "1");
      const result = await store.txn({
        compare: [{ key: key("a"), target: "createRevision", is: "=", revision: 0 }],
        then: [{ kind: "put", key: key("a"), value: Buffer.from("2") }],
        else: [{ kind: "range", start: key("a") }],
      });
      expect(result).toMatchObject({
        succeeded: false,
        revision,
        results: [{ kind: "range", count: 1, items: [{ value: Buffer.from("1"), modRevision: revision }] }],
      });
    });

    test("all its writes share one revision, and its ranges see them", async () => {
      const { key, all } = folder();
      const before = await put(key("old"), "1");
      const result = await store.txn({
        compare: [],
        then: [
          { kind: "put", key: key("a"), value: Buffer.from("1") },
          { kind: "delete", start: key("old") },
          { kind: "put", key: key("b"), value: Buffer.from("1") },
          { kind: "range", ...all },
        ],
      });
      expect(result.revision).toBe(before + 1);
      expect(result.results.map(({ kind }) => kind)).toEqual(["put", "delete", "put", "range"]);
      const { items } = await store.range(all);
      expect(items.map((item) => [item.key, item.modRevision])).toEqual([
        [key("a"), before + 1],
        [key("b"), before + 1],
      ]);
      expect(result.results[3]).toMatchObject({ kind: "range", items, count: 2 });
    });

    test("a range of keys is deleted at once, and counted", async () => {
      const { key, all } = folder();
      for (const name of ["a", "b", "c"]) await put(key(name), "1");
      const result = await store.txn({
        compare: [],
        then: [{ kind: "delete", start: key("a"), end: key("c") }],
      });
      expect(result.results).toEqual([{ kind: "delete", deleted: 2 }]);
      expect((await store.range(all)).items.map((item) => item.key)).toEqual([key("c")]);
    });

    test("deleting nothing makes no revision", async () => {
      const { key } = folder();
      const before = await put(key("a"), "1");
      const result = await store.txn({ compare: [], then: [{ kind: "delete", start: key("none") }] });
      expect(result).toEqual({ succeeded: true, revision: before, results: [{ kind: "delete", deleted: 0 }] });
    });

    test("a range at a future revision refuses the whole transaction", async () => {
      const { key } = folder();
      const then: Operation[] = [
        { kind: "put", key: key("a"), value: Buffer.from("1") },
        { kind: "range", start: key("a"), revision: (await now()) + 1000 },
      ];
      await expect(store.txn({ compare: [], then })).rejects.toMatchObject({ code: "futureRevision" });
      expect((await store.range({ start: key("a") })).count).toBe(0);
    });

    test("writers that compare and swap lose nothing", async () => {
      const { key } = folder();
      await put(key("counter"), "0");
      const increment = async (): Promise<void> => {
        const [item] = (await store.range({ start: key("counter") })).items;
        if (item === undefined) throw new Error("the counter is gone");
        const { succeeded } = await store.txn({
          compare: [{ key: key("counter"), target: "modRevision", is: "=", revision: item.modRevision }],
          then: [{ kind: "put", key: key("counter"), value: Buffer.from(`${Number(item.value) + 1}`) }],
        });
        if (!succeeded) await increment();
      };
      const writer = async () => {
        for (let i = 0; i < 10; i++) await increment();
      };
      await Promise.all(Array.from({ length: 8 }, writer));
      const [item] = (await store.range({ start: key("counter") })).items;
      expect(item).toMatchObject({ value: Buffer.from("80"), version: 81 });
    });

    test.each([
      ["a little", REQUEST_MAX_BYTES + 1],
      ["far", 3 * REQUEST_MAX_BYTES],
    ])("a value %s beyond what a request may hold is too large", async (_, bytes) => {
      const { key } = folder();
      const then: Operation[] = [{ kind: "put", key: key("a"), value: Buffer.alloc(bytes) }];
      await expect(store.txn({ compare: [], then })).rejects.toMatchObject({ code: "tooLarge" });
      expect((await store.range({ start: key("a") })).count).toBe(0);
    });

    test("too many operations are too large", async () => {
      const { key } = folder();
      const then = (count: number): Operation[] =>
        Array.from({ length: count }, (_, i) => ({ kind: "put", key: key(`${i}`), value: Buffer.from("1") }));
      await expect(store.txn({ compare: [], then: then(129) })).rejects.toMatchObject({ code: "tooLarge" });
      await expect(store.txn({ compare: [], then: then(128) })).resolves.toMatchObject({ succeeded: true });
    });

    test("a caller that has given up changes nothing", async () => {
      const { key } = folder();
      const then: Operation[] = [{ kind: "put", key: key("a"), value: Buffer.from("1") }];
      const options = { signal: AbortSignal.abort() };
      await expect(store.txn({ compare: [], then }, options)).rejects.toMatchObject({ code: "cancelled" });
      expect((await store.range({ start: key("a") })).count).toBe(0);
    });
  });
}
