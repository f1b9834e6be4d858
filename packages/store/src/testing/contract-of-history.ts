// The store contract: watches, compaction and leases.

import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Operation, type Revision, type Store, StoreError } from "../contract/contract";
import { folder, writing } from "./contract-fixture";
import { WatchRecorder } from "./watch-recorder";

export function describeHistory(opened: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = opened();
  });
  const { put, remove, now } = writing(opened);

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

    test("a watch of one key", async () => {
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
      const revisions = seen.events.map((event) => (event.kind === "put" ? event.item.modRevision : event.modRevision));
      expect(revisions).toEqual(Array.from({ length: last - before }, (_, i) => before + 1 + i));
      seen.watch.close();
    });

    test("a revision is never split over two batches, however large", async () => {
      const { key, all } = folder();
      const value = Buffer.alloc(10_000, "x");
      const wide = (): Operation[] => Array.from({ length: 120 }, (_, i) => ({ kind: "put", key: key(`${i}`), value }));
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
    test("compaction keeps live values; older revisions are gone and report the oldest kept revision", async () => {
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
}
