import fs, { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, describe, expect, jest, test } from "@jest/globals";
import { runInProcess } from "@orch/testing";
import type { Operation, Revision, Store, StoreError } from "../contract/contract";
import { LocalStore } from "../local/local-store";
import { openStore } from "../open-store";
import { JournalFolders, journalFiles, openWithFiles, put, remove } from "../testing/journal-folders";
import { WatchRecorder } from "../testing/watch-recorder";
import { KEPT_FREE_BYTES } from "./disk-space";
import { openJournal } from "./open-journal";

const EVERYTHING = { start: "", end: "\0" };
const folders = new JournalFolders();
afterAll(() => folders.remove());
afterEach(() => {
  jest.restoreAllMocks();
});

const sizeOf = (directory: string): number =>
  journalFiles(directory).reduce((sum, path) => sum + statSync(path).size, 0);

/** Returns a generator of numbers from 0 to 1 (excluded), the same in every run of a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the files of a journal", () => {
  test("are followed by others, rewritten and opened again, and hold what a store in memory holds", async () => {
    const random = randomNumbers(11);
    const pick = (count: number) => Math.floor(random() * count);
    const directory = folders.fresh();
    let store = await openWithFiles(directory, 4000);
    const model = await openStore({ kind: "memory" });
    let compacted = 0;
    const compare = async (revision: Revision) => {
      const wanted = { ...EVERYTHING, ...(revision > 0 && { revision }) };
      expect(await store.range(wanted)).toEqual(await model.range(wanted));
    };
    for (let step = 0; step < 900; step += 1) {
      const then = Array.from({ length: 1 + pick(3) }, (_, at): Operation => {
        const key = `/k/${at}${pick(20)}`;
        return random() < 0.3
          ? { kind: "delete", start: key }
          : { kind: "put", key, value: Buffer.alloc(pick(400), `${step} `) };
      });
      const results = await Promise.all([store.txn({ compare: [], then }), model.txn({ compare: [], then })]);
      expect(results[0]).toEqual(results[1]);
      const { revision } = results[0];
      if (step % 100 === 99) {
        compacted = revision - pick(60);
        await Promise.all([store.compact(compacted), model.compact(compacted)]);
      }
      if (step % 70 === 69) {
        await store.close();
        store = await openWithFiles(directory, 4000);
      }
      if (step % 20 === 0) {
        await compare(0);
        await compare(compacted + pick(revision - compacted + 1));
      }
    }
    const { revision } = await model.range(EVERYTHING);
    const [seen, expected] = [store, model].map(
      (each) => new WatchRecorder(each, { ...EVERYTHING, fromRevision: compacted }),
    );
    await Promise.all([seen?.untilRevision(revision), expected?.untilRevision(revision)]);
    expect(seen?.lines).toEqual(expected?.lines);
    // Much more was written than is left.
    expect(journalFiles(directory).length).toBeGreaterThan(1);
    expect(journalFiles(directory).length).toBeLessThan(20);
    await Promise.all([store.close(), model.close()]);
  }, 120_000);

  test("give the room of deleted objects back", async () => {
    const directory = folders.fresh();
    let store = await openWithFiles(directory, 100_000);
    for (let count = 0; count < 400; count += 1) await put(store, `/k/${count}`, "x".repeat(2000));
    const full = sizeOf(directory);
    let last = 0;
    for (let count = 1; count < 400; count += 1) last = await remove(store, `/k/${count}`);
    await store.compact(last);
    expect(sizeOf(directory)).toBeLessThan(full - 500_000);
    await store.close();
    store = await openWithFiles(directory, 100_000);
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/k/0"]);
    await store.close();
  });

  test("remember leases over all of them", async () => {
    const directory = folders.fresh();
    let store = await openWithFiles(directory, 1000);
    const [kept, ended] = [await store.grantLease(600), await store.grantLease(600)];
    await put(store, "/leased/kept", "1", kept);
    await put(store, "/leased/ended", "1", ended);
    for (let count = 0; count < 20; count += 1) await put(store, "/k", "x".repeat(300));
    await store.revokeLease(ended);
    await store.compact(await put(store, "/k", "y"));
    await store.close();
    store = await openWithFiles(directory, 1000);
    expect(await store.keepLeaseAlive(kept)).toBe(600);
    expect(await store.keepLeaseAlive(ended)).toBe(0);
    await store.revokeLease(kept);
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/k"]);
    await store.close();
  });
});

describe("a disk", () => {
  type Write = (...args: unknown[]) => void;
  /** Lets every file write of the process stop half way while `fails` returns true. */
  function failingWrites(code: string, fails: () => boolean): void {
    const write = fs.write as unknown as Write;
    jest.spyOn(fs, "write").mockImplementation(((...args: unknown[]) => {
      const [descriptor, bytes, offset, length, position, callback] = args as [
        number,
        Buffer,
        number,
        number,
        number,
        Write,
      ];
      if (!fails()) return write(...args);
      write(descriptor, bytes, offset, length >> 1, position, () => {
        callback(Object.assign(new Error(`${code}: test`), { code }), 0);
      });
    }) as never);
  }
  const codeOf = (write: Promise<unknown>) =>
    write.then(
      () => "written",
      ({ code }: StoreError) => code,
    );

  test("that fails in the middle of a write leaves nothing of it, and is used again when it works", async () => {
    const directory = folders.fresh();
    let store = await openStore({ kind: "embedded", directory });
    await put(store, "/before", "1");
    let failures = 0;
    failingWrites("EIO", () => failures++ === 0);
    expect(await codeOf(put(store, "/failed", "x".repeat(5000)))).toBe("internal");
    expect((await store.range({ start: "/failed" })).count).toBe(0);
    expect(await put(store, "/after", "1")).toBe(3);
    expect((await store.status()).alarms).toEqual([]);
    await store.close();
    store = await openStore({ kind: "embedded", directory });
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/after", "/before"]);
    await store.close();
  });

  test("that fails altogether: the outcome is unknown, the status says so, and all is well once it works, without a write", async () => {
    const directory = folders.fresh();
    let store = await openStore({ kind: "embedded", directory });
    await put(store, "/before", "1");
    let fails = true;
    failingWrites("EIO", () => fails);
    expect(await codeOf(put(store, "/failed", "x".repeat(5000)))).toBe("unknownOutcome");
    expect(await codeOf(put(store, "/refused", "1"))).toBe("internal");
    expect((await store.status()).alarms).toEqual(["WRITE_FAILED"]);
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/before"]);
    fails = false;
    expect((await store.status()).alarms).toEqual([]);
    expect(await put(store, "/after", "1")).toBe(3);
    await store.close();
    store = await openStore({ kind: "embedded", directory });
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/after", "/before"]);
    await store.close();
  });

  test.each([
    ["that takes no byte", 0, ["full", "full"]],
    ["that takes part of a write", 2, ["full", "written"]],
  ])("%s by a bound of files: what it refuses is known not to be there", async (_, fileKib, outcomes) => {
    const directory = folders.fresh();
    let store = await openStore({ kind: "embedded", directory });
    await put(store, "/before", "1");
    await store.close();
    const child = runInProcess(
      join(__dirname, ".."),
      `
      const store = await require("./open-store.ts").openStore({ kind: "embedded", directory: "${directory}" });
      const outcomeOf = (key, text) =>
        store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(text) }] }).then(
          () => "written",
          ({ code }) => code,
        );
      const outcomes = [await outcomeOf("/large", "x".repeat(5000)), await outcomeOf("/small", "x")];
      process.stdout.write(JSON.stringify(outcomes));
      await store.close();
      `,
      { fileKib },
    );
    expect(JSON.parse(await text(child.stdout as Readable))).toEqual(outcomes);
    store = await openStore({ kind: "embedded", directory });
    const small = outcomes[1] === "written" ? ["/small"] : [];
    expect((await store.range(EVERYTHING)).items.map(({ key }) => key)).toEqual(["/before", ...small]);
    await store.close();
  });

  test("without room: refused before it is tried, said at once, deletions go on, and so does everything when there is room", async () => {
    const directory = folders.fresh();
    let free = 1 << 30;
    const open = async (): Promise<Store> =>
      new LocalStore(await openJournal(directory, { freeBytes: async () => free }));
    let store = await open();
    await put(store, "/a", "1");
    free = KEPT_FREE_BYTES - 1;
    expect((await store.status()).alarms).toEqual(["NOSPACE"]);
    await expect(put(store, "/b", "1")).rejects.toMatchObject({
      code: "full",
      message: /^15 MiB are free .* 16 MiB are kept$/,
    });
    await expect(store.grantLease(10)).rejects.toMatchObject({ code: "full" });
    expect(await remove(store, "/a")).toBe(3);
    await store.compact(3);
    await store.close();
    // Opens the store again, like a restart.
    store = await open();
    expect((await store.status()).alarms).toEqual(["NOSPACE"]);
    expect(await codeOf(put(store, "/b", "1"))).toBe("full");
    free = 1 << 30;
    expect((await store.status()).alarms).toEqual([]);
    expect(await put(store, "/b", "1")).toBe(4);
    free = 0;
    await store.status();
    free = 1 << 30;
    // No status was requested: the write itself finds the free space.
    expect(await put(store, "/b", "2")).toBe(5);
    await store.close();
  });

  test("that fills up under writes takes none by halves", async () => {
    const directory = folders.fresh();
    let free = 1 << 30;
    const store = new LocalStore(await openJournal(directory, { freeBytes: async () => free }));
    free = 0;
    const outcomes: string[] = [];
    for (let count = 0; !outcomes.includes("full") && count < 40; count += 1) {
      outcomes.push(await codeOf(put(store, `/k/${String(count).padStart(2, "0")}`, "x".repeat(1 << 20))));
    }
    expect(outcomes.slice(0, -1).every((outcome) => outcome === "written")).toBe(true);
    expect(outcomes.at(-1)).toBe("full");
    expect((await store.range(EVERYTHING)).count).toBe(outcomes.length - 1);
    await store.close();
    const again = await openStore({ kind: "embedded", directory });
    expect((await again.range(EVERYTHING)).count).toBe(outcomes.length - 1);
    await again.close();
  });

  test("a removed journal file is reported as a disk failure", async () => {
    const directory = folders.fresh();
    const store = await openStore({ kind: "embedded", directory });
    await put(store, "/a", "1");
    const [file] = journalFiles(directory) as [string];
    const bytes = readFileSync(file);
    fs.rmSync(file);
    expect((await store.status()).alarms).toEqual(["WRITE_FAILED"]);
    expect(bytes.length).toBeGreaterThan(0);
    await store.close();
  });

  test("that changed an older file is told of when that is rewritten, and what is served is what was written", async () => {
    const directory = folders.fresh();
    const store = await openWithFiles(directory, 20_000);
    for (let count = 0; count < 50; count += 1) await put(store, `/k/${count % 10}`, "x".repeat(1000));
    const [first] = journalFiles(directory) as [string];
    fs.writeSync(fs.openSync(first, "r+"), "!", readFileSync(first).indexOf("xxxxx"));
    await store.compact(await put(store, "/last", "1"));
    expect((await store.status()).alarms).toEqual(["CORRUPT"]);
    expect((await store.range(EVERYTHING)).items.every(({ value }) => !value.includes("!"))).toBe(true);
    await store.close();
  });
});
