import { describe, expect, test } from "@jest/globals";
import { type Revision, type Store, StoreError } from "../contract/contract";
import type { Commit } from "../mvcc/version-index";
import { openStore } from "../open-store";
import { describeStoreContract } from "../testing/store-contract";
import { WatchRecorder } from "../testing/watch-recorder";
import type { Journal, JournalStatus } from "./journal";
import { LocalStore } from "./local-store";

describeStoreContract("the memory store", () => openStore({ kind: "memory" }));

/** A journal whose writes can be slow, and that can be full. */
class Disk implements Journal {
  readonly written: Revision[] = [];
  isFull = false;
  private waiting: { readonly commits: readonly Commit[]; resolve(): void; reject(error: Error): void }[] = [];

  append(commits: readonly Commit[]): Promise<void> {
    return new Promise((resolve, reject) => this.waiting.push({ commits, resolve, reject }));
  }

  async finish(how: "written" | "full"): Promise<void> {
    await new Promise(setImmediate);
    for (const { commits, resolve, reject } of this.waiting.splice(0)) {
      if (how === "full") reject(new StoreError("full", "the disk is full"));
      else {
        this.written.push(...commits.map(({ revision }) => revision));
        resolve();
      }
    }
    await new Promise(setImmediate);
  }

  fullError(): StoreError {
    return new StoreError("full", "the disk is full");
  }

  async look(): Promise<void> {}
  async compact(): Promise<void> {}
  forget(): void {}
  async saveLease(): Promise<void> {}
  async dropLease(): Promise<void> {}
  async close(): Promise<void> {}
  async status(): Promise<JournalStatus> {
    return { size: 0, alarms: this.isFull ? ["NOSPACE"] : [] };
  }
}

function storeOn(disk: Disk): Store {
  return new LocalStore({ journal: disk, content: { compacted: 0, commits: [], leases: [] } });
}

const putter = (store: Store) => (key: string) =>
  store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from("1") }] }).then(
    ({ revision }) => revision,
    ({ code }: StoreError) => code,
  );

describe("a store with a disk", () => {
  test("a write is visible only after it is on the disk", async () => {
    const disk = new Disk();
    const store = storeOn(disk);
    const seen = await new WatchRecorder(store, { start: "a" }).untilStarted();
    const answer = putter(store)("a");
    const refused = store.txn({
      compare: [{ key: "a", target: "createRevision", is: "=", revision: 0 }],
      then: [],
      else: [{ kind: "range", start: "a" }],
    });
    let answers = 0;
    for (const one of [answer, refused]) void one.then(() => answers++);
    await new Promise(setImmediate);
    expect({ answers, lines: seen.lines, count: (await store.range({ start: "a" })).count }).toEqual({
      answers: 0,
      lines: [],
      count: 0,
    });
    await disk.finish("written");
    expect(await answer).toBe(2);
    expect(await refused).toMatchObject({ succeeded: false, results: [{ count: 1 }] });
    expect(seen.lines).toEqual(["2 a=1"]);
    await store.close();
  });

  test("takes back what the disk refused and what was built on it, and goes on", async () => {
    const disk = new Disk();
    const store = storeOn(disk);
    const put = putter(store);
    const first = put("kept");
    await disk.finish("written");
    const failing = put("lost");
    await new Promise(setImmediate);
    const builtOnIt = put("kept");
    await disk.finish("full");
    expect(await Promise.all([first, failing, builtOnIt])).toEqual([2, "full", "full"]);
    expect((await store.range({ start: "", end: "\0" })).items).toMatchObject([{ key: "kept", version: 1 }]);
    const again = put("kept");
    await disk.finish("written");
    expect(await again).toBe(3);
    expect((await store.range({ start: "kept" })).items).toMatchObject([{ modRevision: 3, version: 2 }]);
    expect(disk.written).toEqual([2, 3]);
    await store.close();
  });

  test("that is full takes deletions, and nothing else", async () => {
    const disk = new Disk();
    const store = storeOn(disk);
    const put = putter(store);
    const first = put("a");
    await disk.finish("written");
    await first;
    disk.isFull = true;
    expect((await store.status()).alarms).toEqual(["NOSPACE"]);
    expect(await put("b")).toBe("full");
    const removed = store.txn({ compare: [], then: [{ kind: "delete", start: "a" }] });
    await disk.finish("written");
    expect(await removed).toMatchObject({ revision: 3, results: [{ deleted: 1 }] });
    disk.isFull = false;
    const again = put("b");
    await disk.finish("written");
    expect(await again).toBe(4);
    await store.close();
  });
});
