import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { open as openLmdb } from "lmdb";
import type { StoreEvent } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { recoverStore } from "../embedded/recover-store";
import type { Commit } from "../mvcc/version-index";
import { openStore } from "../open-store";
import { writeLmdbStore } from "../testing/lmdb-writer";
import { recordBytes } from "../testing/record-bytes";
import { WatchRecorder } from "../testing/watch-recorder";
import { lmdbFile, readLmdbStore } from "./lmdb-store";

const root = mkdtempSync(join(tmpdir(), "store-lmdb-"));
let directories = 0;
const newDirectory = () => join(root, `${directories++}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const EVERYTHING = { start: "", end: "\0" };
const LEASE = 4_503_599_627_370_497;

/** Commits with values from empty to several overflow pages, and enough of them that the tree has branch pages. */
function commitsOf(count: number, sizes = [0, 10, 300, 3000, 40_000]): Commit[] {
  return Array.from({ length: count }, (_, at) => {
    const revision = at + 2;
    const item = {
      key: `/registry/things/${at % 500}`,
      value: Buffer.alloc(sizes[at % sizes.length] as number, `${at} `),
      createRevision: (at % 500) + 2,
      modRevision: revision,
      version: Math.floor(at / 500) + 1,
      lease: at % 500 === 7 ? LEASE : 0,
    };
    const events: StoreEvent[] = [{ kind: "put", item }];
    if (at % 500 === 499) events.push({ kind: "delete", key: `/registry/things/${at % 10}`, modRevision: revision });
    return { revision, events };
  });
}

const commits = commitsOf(3000);

describe("the folder of an earlier release", () => {
  test("is read as it was written", async () => {
    const directory = newDirectory();
    await writeLmdbStore(directory, { commits, compacted: 5, leases: [[LEASE, 600]] });
    const migrated = readLmdbStore(directory);
    expect(migrated).toMatchObject({ compacted: 5, leases: new Map([[LEASE, 600]]) });
    const records = (of: readonly Commit[]) =>
      of.map((commit) => `${commit.revision} ${recordBytes(commit).toString("latin1")}`);
    expect(records(migrated.commits).join("\n") === records(commits).join("\n")).toBe(true);
  });

  test("is opened with its objects, history and leases, and is not read again after that", async () => {
    const directory = newDirectory();
    await writeLmdbStore(directory, { commits, leases: [[LEASE, 600]] });
    const store = await openStore({ kind: "embedded", directory });
    const before = await store.range(EVERYTHING);
    expect(before.revision).toBe(3001);
    expect(before.items.find(({ key }) => key === "/registry/things/42")).toMatchObject({
      version: 6,
      createRevision: 44,
    });
    const seen = new WatchRecorder(store, { ...EVERYTHING, fromRevision: 2 });
    await seen.untilRevision(3001);
    expect(seen.events).toHaveLength(commits.flatMap(({ events }) => events).length);
    await store.txn({ compare: [], then: [{ kind: "put", key: "new", value: Buffer.from("1") }] });
    await store.revokeLease(LEASE);
    await store.close();

    const again = await openStore({ kind: "embedded", directory });
    const { items, revision } = await again.range(EVERYTHING);
    expect(revision).toBe(3003);
    expect(items.map(({ key }) => key)).toContain("new");
    expect(items.map(({ key }) => key)).not.toContain("/registry/things/7");
    await again.close();
    // A former release that opens the store now reports an unknown format. So does this release when the journal is
    // lost.
    rmSync(join(directory, readdirSync(directory).find((name) => name.startsWith("journal-")) ?? ""));
    expect(() => readLmdbStore(directory)).toThrow(/the journal converted from .* does not exist/);
  });

  test("that an earlier release still writes to is refused", async () => {
    const directory = newDirectory();
    await writeLmdbStore(directory, { commits: [] });
    const writer = openLmdb({ path: directory, noSubdir: false });
    const opened = openStore({ kind: "embedded", directory });
    await expect(opened).rejects.toMatchObject({
      problem: "inUse",
      message: expect.stringContaining(`(${process.pid})`),
    });
    await writer.close();
    await (await openStore({ kind: "embedded", directory })).close();
  });

  test("that holds something else is refused", async () => {
    const directory = newDirectory();
    await writeLmdbStore(directory, { commits: [], format: "17" });
    await expect(openStore({ kind: "embedded", directory })).rejects.toMatchObject({ problem: "foreign" });
  });
});

describe("a damaged file of an earlier release", () => {
  let whole: Buffer;
  beforeAll(async () => {
    const directory = newDirectory();
    await writeLmdbStore(directory, { commits: commitsOf(120, [0, 10, 100, 300, 600, 10, 5000]) });
    whole = readFileSync(lmdbFile(directory));
  });

  const directoryWith = (file: Buffer): string => {
    const directory = newDirectory();
    mkdirSync(directory);
    writeFileSync(lmdbFile(directory), file);
    return directory;
  };
  const overwritten = (at: number, bytes: Buffer): Buffer => {
    const content = Buffer.from(whole);
    bytes.copy(content, at);
    return content;
  };

  test.each<[string, string, () => Buffer]>([
    ["half of it", "cut", () => whole.subarray(0, whole.length / 2)],
    ["less than a page", "cut", () => whole.subarray(0, 1000)],
    ["nothing", "empty", () => whole.subarray(0, 0)],
    ["garbage", "foreign", () => Buffer.alloc(whole.length, "garbage!")],
    ["a first page of zeros", "damaged", () => overwritten(0, Buffer.alloc(4096))],
    ["a second page of zeros", "damaged", () => overwritten(4096, Buffer.alloc(4096))],
  ])("%s is refused: %s", async (_what, problem, file) => {
    const opened = openStore({ kind: "embedded", directory: directoryWith(file()) });
    await expect(opened).rejects.toMatchObject({ name: "StoreOpenError", problem });
  });

  test("never ends the process, whichever byte of the heads and the first nodes of its pages is another one", () => {
    const directory = directoryWith(whole);
    const file = openSync(lmdbFile(directory), "r+");
    let refused = 0;
    for (let at = 0; at < whole.length; at += at % 4096 < 112 ? 7 : 4096 - (at % 4096)) {
      writeSync(file, Buffer.from([(whole[at] as number) ^ 0xa5]), 0, 1, at);
      try {
        readLmdbStore(directory);
      } catch (error) {
        expect(error).toBeInstanceOf(StoreOpenError);
        refused += 1;
      }
      writeSync(file, whole, at, 1, at);
    }
    closeSync(file);
    expect(refused).toBeGreaterThan(50);
    expect(readLmdbStore(directory).commits).toHaveLength(120);
  });

  test("is recovered as far as it can be read, and kept", async () => {
    const leaves = Array.from({ length: whole.length / 4096 }, (_, page) => page * 4096).filter(
      (at) => at > 4096 && whole.readUInt16LE(at + 18) === 0x02 && whole.readBigUInt64LE(at) === BigInt(at / 4096),
    );
    const directory = directoryWith(overwritten(leaves[2] as number, Buffer.alloc(4096, "garbage!")));
    await expect(openStore({ kind: "embedded", directory })).rejects.toMatchObject({ problem: "damaged" });
    const { objects, lost, keptIn } = await recoverStore(directory, new Date(0));
    expect(objects).toBeGreaterThan(80);
    expect(objects).toBeLessThan(120);
    expect(lost).toHaveLength(1);
    expect(readdirSync(keptIn ?? "")).toEqual(["data.mdb"]);
    const store = await openStore({ kind: "embedded", directory });
    expect((await store.range(EVERYTHING)).items).toHaveLength(objects);
    await store.close();
  });
});
