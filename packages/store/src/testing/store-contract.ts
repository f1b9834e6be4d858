// What every store must do. Run by each driver's own tests; a store may be shared by all of it, so every test has keys of its own and
// reckons revisions from what it is told.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Operation, type Revision, type Store, StoreError, type TxnRequest } from "../contract";
import { REQUEST_MAX_BYTES } from "../request-limits";
import { WatchRecorder } from "./watch-recorder";

let folders = 0;

export function describeStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} keeps the store contract`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const put = async (key: string, value: string): Promise<Revision> =>
      (await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value) }] })).revision;
    const remove = async (key: string): Promise<Revision> =>
      (await store.txn({ compare: [], then: [{ kind: "delete", start: key }] })).revision;
    const now = async (): Promise<Revision> => (await store.range({ start: "\0" })).revision;

    describe("ranges", () => {
      test("an item tells its creation, its last change and how often it was written", async () => {
        const { key } = folder();
        const created = await put(key("a"), "1");
        const changed = await put(key("a"), "2");
        const { items, count, more, revision } = await store.range({ start: key("a") });
        expect(items).toEqual([
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

      test("keys alone, or only how many", async () => {
        const { key, all } = folder();
        const revision = await put(key("a"), "1");
        const [item] = (await store.range({ ...all, keysOnly: true })).items;
        expect(item).toMatchObject({ key: key("a"), value: Buffer.alloc(0), modRevision: revision });
        expect(await store.range({ ...all, countOnly: true })).toMatchObject({ items: [], count: 1, more: false });
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

    describe("watches", () => {
      test("from now: what happens after, in order, of the keys wanted", async () => {
        const { key, all } = folder();
        await put(key("a"), "0");
        const seen = await new WatchRecorder(store, all).untilStarted();
        const first = await put(key("a"), "1");
        await put(`${key("").slice(0, -1)}0`, "outside");
        const second = await put(key("b"), "1");
        const third = await remove(key("a"));
        await seen.untilRevision(third);
        expect(seen.lines).toEqual([`${first} ${key("a")}=1`, `${second} ${key("b")}=1`, `${third} ${key("a")}`]);
        expect(seen.started).toEqual([first]);
        seen.watch.close();
        await seen.until(() => seen.ended !== undefined);
        expect(seen.ended).toBe("closed");
      });

      test("of one key only", async () => {
        const { key } = folder();
        const seen = await new WatchRecorder(store, { start: key("a") }).untilStarted();
        await put(key("a/b"), "other");
        const revision = await put(key("a"), "1");
        await seen.untilRevision(revision);
        expect(seen.lines).toEqual([`${revision} ${key("a")}=1`]);
        seen.watch.close();
      });

      test("from an old revision: the history, then what follows, without a gap", async () => {
        const { key, all } = folder();
        await put(key("a"), "0");
        const revisions: Revision[] = [];
        for (let i = 0; i < 50; i++) revisions.push(await put(key("a"), `${i}`));
        const seen = new WatchRecorder(store, { ...all, fromRevision: revisions[0] as Revision });
        for (let i = 50; i < 100; i++) revisions.push(await put(key("a"), `${i}`));
        await seen.untilRevision(revisions[99] as Revision);
        expect(seen.lines).toEqual(revisions.map((revision, i) => `${revision} ${key("a")}=${i}`));
        seen.watch.close();
      });

      test("from a revision that is still to come: nothing before it", async () => {
        const { key, all } = folder();
        const before = await put(key("a"), "0");
        const seen = await new WatchRecorder(store, { ...all, fromRevision: before + 2 }).untilStarted();
        await put(key("a"), "1");
        const wanted = await put(key("a"), "2");
        await seen.untilRevision(wanted);
        expect(seen.lines).toEqual([`${wanted} ${key("a")}=2`]);
        seen.watch.close();
      });

      test("over the whole key space every revision brings an event", async () => {
        const { key } = folder();
        const before = await now();
        const seen = await new WatchRecorder(store, { start: "", end: "\0", fromRevision: before + 1 }).untilStarted();
        let last = before;
        for (let i = 0; i < 20; i++) last = await put(key(`${i}`), "1");
        await seen.untilRevision(last);
        const revisions = seen.events.map((event) =>
          event.kind === "put" ? event.item.modRevision : event.modRevision,
        );
        expect(revisions).toEqual(Array.from({ length: last - before }, (_, i) => before + 1 + i));
        seen.watch.close();
      });

      test("a revision is never split over two batches, however large", async () => {
        const { key, all } = folder();
        const value = Buffer.alloc(10_000, "x");
        const wide = (): Operation[] =>
          Array.from({ length: 120 }, (_, i) => ({ kind: "put", key: key(`${i}`), value }));
        const before = await now();
        let last = before;
        for (let i = 0; i < 6; i++) last = (await store.txn({ compare: [], then: wide() })).revision;
        const seen = new WatchRecorder(store, { ...all, fromRevision: before + 1 });
        await seen.untilRevision(last);
        const sizes = new Map<Revision, number>();
        for (const batch of seen.batches) {
          const inBatch = batch.events.map((event) => (event.kind === "put" ? event.item.modRevision : 0));
          for (const revision of new Set(inBatch)) {
            expect(sizes.has(revision)).toBe(false);
            sizes.set(revision, inBatch.filter((one) => one === revision).length);
          }
          expect(batch.revision).toBe(inBatch.at(-1));
        }
        expect([...sizes.values()]).toEqual(Array(6).fill(120));
        seen.watch.close();
      });

      test("thousands of events all arrive, once, while others are written", async () => {
        const { key, all } = folder();
        const from = (await now()) + 1;
        const write = async (name: string) => {
          for (let i = 0; i < 400; i++) await put(key(name), `${i}`);
        };
        const live = new WatchRecorder(store, { ...all, fromRevision: from });
        await Promise.all(["a", "b", "c", "d", "e"].map(write));
        const late = new WatchRecorder(store, { ...all, fromRevision: from });
        const last = await put(key("z"), "end");
        await Promise.all([live.untilRevision(last), late.untilRevision(last)]);
        expect(live.lines).toHaveLength(2001);
        expect(new Set(live.lines).size).toBe(2001);
        expect(late.lines).toEqual(live.lines);
        live.watch.close();
        late.watch.close();
      });

      test("nothing is heard after closing but the end", async () => {
        const { key, all } = folder();
        const seen = await new WatchRecorder(store, all).untilStarted();
        seen.watch.close();
        seen.watch.close();
        const witness = await new WatchRecorder(store, all).untilStarted();
        await witness.untilRevision(await put(key("a"), "1"));
        expect(seen.lines).toEqual([]);
        expect(seen.ended).toBe("closed");
        witness.watch.close();
      });
    });

    describe("compaction", () => {
      test("what is live stays, older revisions are gone and say from where history is whole", async () => {
        const { key, all } = folder();
        const old = await put(key("a"), "1");
        await put(key("gone"), "1");
        await remove(key("gone"));
        await put(key("b"), "1");
        const kept = await put(key("a"), "2");
        await store.compact(kept);
        const compacted = { code: "compacted", compactRevision: kept };
        await expect(store.range({ ...all, revision: old })).rejects.toMatchObject(compacted);
        await expect(store.compact(old)).rejects.toMatchObject(compacted);
        expect((await store.range({ ...all, revision: kept })).items.map((item) => item.key)).toEqual([
          key("a"),
          key("b"),
        ]);
        expect((await store.range(all)).items.map((item) => `${item.value}`)).toEqual(["2", "1"]);
      });

      test("a watch from before it ends as compacted; one from after it goes on", async () => {
        const { key, all } = folder();
        const old = await put(key("a"), "1");
        const kept = await put(key("a"), "2");
        const last = await put(key("a"), "3");
        await store.compact(kept);
        const early = new WatchRecorder(store, { ...all, fromRevision: old });
        const whole = new WatchRecorder(store, { ...all, fromRevision: kept });
        await Promise.all([early.until(() => early.ended !== undefined), whole.untilRevision(last)]);
        expect(early.ended).toBeInstanceOf(StoreError);
        expect(early.ended).toMatchObject({ code: "compacted", compactRevision: kept });
        expect(early.lines).toEqual([]);
        expect(whole.lines).toEqual([`${kept} ${key("a")}=2`, `${last} ${key("a")}=3`]);
        whole.watch.close();
      });

      test("a running watch that has seen everything is not disturbed", async () => {
        const { key, all } = folder();
        const seen = await new WatchRecorder(store, all).untilStarted();
        await put(key("a"), "1");
        const kept = await put(key("a"), "2");
        await seen.untilRevision(kept);
        await store.compact(kept);
        const last = await put(key("a"), "3");
        await seen.untilRevision(last);
        expect(seen.lines).toHaveLength(3);
        expect(seen.ended).toBeUndefined();
        seen.watch.close();
      });

      test("a revision that does not exist yet cannot be compacted", async () => {
        await expect(store.compact((await now()) + 1000)).rejects.toMatchObject({ code: "futureRevision" });
      });
    });

    describe("leases", () => {
      const putLeased = (key: string, lease: number) =>
        store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from("1"), lease }] });

      test("a lease that runs out takes its keys along, and watches hear of it", async () => {
        const { key, all } = folder();
        const seen = await new WatchRecorder(store, all).untilStarted();
        const lease = await store.grantLease(1);
        await putLeased(key("a"), lease);
        expect((await store.range(all)).items).toMatchObject([{ key: key("a"), lease }]);
        await seen.until(() => seen.events.at(-1)?.kind === "delete");
        expect(seen.events.at(-1)).toMatchObject({ kind: "delete", key: key("a") });
        expect((await store.range(all)).count).toBe(0);
        expect(await store.keepLeaseAlive(lease)).toBe(0);
        seen.watch.close();
      });

      test("revoking takes the keys that still hang on it, in one revision", async () => {
        const { key, all } = folder();
        const lease = await store.grantLease(600);
        expect(await store.keepLeaseAlive(lease)).toBe(600);
        for (const name of ["a", "b", "c"]) await putLeased(key(name), lease);
        const before = await put(key("b"), "free of it");
        const seen = await new WatchRecorder(store, { ...all, fromRevision: before + 1 }).untilStarted();
        await store.revokeLease(lease);
        await seen.untilRevision(before + 1);
        expect(seen.events).toEqual(
          ["a", "c"].map((name) => ({ kind: "delete", key: key(name), modRevision: before + 1 })),
        );
        expect((await store.range(all)).items.map((item) => item.key)).toEqual([key("b")]);
        seen.watch.close();
      });

      test("a lease that does not exist is refused", async () => {
        const { key } = folder();
        await expect(putLeased(key("a"), 12345)).rejects.toMatchObject({ code: "leaseNotFound" });
        await expect(store.revokeLease(12345)).rejects.toMatchObject({ code: "leaseNotFound" });
        expect(await store.keepLeaseAlive(12345)).toBe(0);
      });
    });

    test("the status tells the revision and the size, and no alarm", async () => {
      const revision = await now();
      const status = await store.status();
      expect(status.revision).toBeGreaterThanOrEqual(revision);
      expect(status.size).toBeGreaterThan(0);
      expect(status.alarms).toEqual([]);
    });

    test("closing ends watches, refuses further calls, and leaves no call without an outcome", async () => {
      const { key, all } = folder();
      const closing = await open();
      const seen = await new WatchRecorder(closing, all).untilStarted();
      const busy = Array.from({ length: 50 }, (_, i) =>
        closing.txn({ compare: [], then: [{ kind: "put", key: key(`${i}`), value: Buffer.from("1") }] }).then(
          () => "done",
          (error: StoreError) => error.code,
        ),
      );
      await closing.close();
      await closing.close();
      for (const outcome of await Promise.all(busy)) expect(["done", "closed", "unknownOutcome"]).toContain(outcome);
      await seen.until(() => seen.ended !== undefined);
      expect(seen.ended).toMatchObject({ code: "closed" });
      await expect(closing.range(all)).rejects.toMatchObject({ code: "closed" });
      await expect(closing.txn({ compare: [], then: [] })).rejects.toMatchObject({ code: "closed" });
      const late = new WatchRecorder(closing, all);
      await late.until(() => late.ended !== undefined);
      expect(late.ended).toMatchObject({ code: "closed" });
    });
  });
}

/** Keys under a prefix that no other test has. */
function folder() {
  const prefix = `/contract-${process.pid}-${folders++}/`;
  return { key: (name: string) => `${prefix}${name}`, all: { start: prefix, end: `${prefix.slice(0, -1)}0` } };
}
