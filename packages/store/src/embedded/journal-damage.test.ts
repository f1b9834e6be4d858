import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { StoreOpenError } from "../contract/open-problem";
import { encodeFrames, jsonFrame } from "../journal-format/frame";
import type { Commit } from "../mvcc/version-index";
import { openStore } from "../open-store";
import {
  JournalFolders,
  journalFiles,
  openWithFiles,
  overwrite,
  put,
  remove,
  trimRoom,
} from "../testing/journal-folders";
import { recordBytes } from "../testing/record-bytes";
import { journalPath } from "./journal-folder";
import { type JournalReading, readJournal } from "./journal-reader";
import { recoverStore } from "./recover-store";

const NOBODY = 65_534;
const EVERYTHING = { start: "", end: "\0" };
const folders = new JournalFolders();
afterAll(() => folders.remove());

/** Three files: a full one that was rewritten, a full one, and the newest. */
let whole: string;
let reading: JournalReading;
beforeAll(async () => {
  whole = folders.fresh();
  const store = await openWithFiles(whole, 900);
  const lease = await store.grantLease(600);
  for (let count = 0; count < 12; count += 1) await put(store, `/registry/old/${count % 3}`, "x".repeat(80));
  const compacted = await put(store, "/registry/kept", "Grüße");
  await store.compact(compacted);
  await put(store, "/registry/leased", "1", lease);
  for (let count = 0; count < 6; count += 1) await put(store, `/registry/new/${count}`, "y".repeat(80));
  await remove(store, "/registry/new/0");
  await put(store, "/registry/last", "z".repeat(200));
  await store.close();
  reading = readJournal(whole) as JournalReading;
  trimRoom(reading.newest.file.path, reading.newest.bytes);
  expect(reading.sealed.length).toBeGreaterThanOrEqual(2);
  expect(reading.sealed[0]?.file).toMatchObject({ from: 1 });
});

const textOf = (commits: readonly Commit[]): string =>
  commits.map((commit) => `${commit.revision} ${recordBytes(commit).toString("latin1")}`).join("\n");

const problemOf = (directory: string): string => {
  try {
    return textOf(readJournal(directory)?.commits ?? []) === textOf(reading.commits) ? "as it was" : "altered";
  } catch (error) {
    return error instanceof StoreOpenError ? error.problem : String(error);
  }
};

describe("a journal", () => {
  test("a journal with any changed byte is never read as different data", () => {
    const outcomes = new Map<string, number>();
    for (const path of journalFiles(whole)) {
      const bytes = readFileSync(path);
      const file = openSync(path, "r+");
      for (let at = 0; at < bytes.length; at += 1) {
        writeSync(file, Buffer.from([(bytes[at] as number) ^ (1 << (at % 8))]), 0, 1, at);
        const outcome = problemOf(whole);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        writeSync(file, bytes, at, 1, at);
        if (outcome === "altered") throw new Error(`byte ${at} of ${path}`);
        // The unwritten space is uniform, so most of it is skipped.
        if (path === reading.newest.file.path && at > reading.newest.bytes + 64) at += 97;
      }
      closeSync(file);
    }
    // Damage of padding and of unused space has no effect; all other damage is detected.
    expect([...outcomes.keys()].sort()).toEqual(["as it was", "damaged"]);
    expect(outcomes.get("damaged") ?? 0).toBeGreaterThan(5 * (outcomes.get("as it was") ?? 0));
    expect(problemOf(whole)).toBe("as it was");
  }, 120_000);

  test("says which record is damaged", async () => {
    const directory = folders.copyOf(whole);
    const path = journalFiles(directory).find((file) => readFileSync(file).includes("zzz")) as string;
    overwrite(path, readFileSync(path).indexOf("zzz"), Buffer.from("Z"));
    const opened = openStore({ kind: "embedded", directory });
    await expect(opened).rejects.toThrow(
      /^the record of revision \d+ \(\/registry\/last\) in .*journal-\d+-\d+, byte \d+, is corrupt$/,
    );
  });

  test("that is cut anywhere is refused, unless nothing of it is missing", () => {
    const outcomes = new Set<string>();
    for (const path of journalFiles(whole)) {
      const bytes = readFileSync(path);
      for (let length = bytes.length - 1; length >= 0; length -= length > 64 ? 41 : 1) {
        truncateSync(path, length);
        outcomes.add(problemOf(whole));
      }
      writeFileSync(path, bytes);
    }
    expect([...outcomes].sort()).toEqual(["as it was", "cut", "empty"]);
  });

  test.each<[string, string, (files: readonly string[]) => void]>([
    ["without its oldest file", "cut", ([first]) => rmSync(first as string)],
    ["without one in the middle", "cut", ([, second]) => rmSync(second as string)],
    ["without its newest file", "cut", (files) => rmSync(files.at(-1) as string)],
    ["with an empty file", "empty", ([, second]) => writeFileSync(second as string, "")],
    [
      "with garbage for a file",
      "foreign",
      ([, second]) => writeFileSync(second as string, Buffer.alloc(9000, "garbage")),
    ],
    ["with zeros for a file", "foreign", ([, second]) => writeFileSync(second as string, Buffer.alloc(9000))],
    [
      "with a folder for a file",
      "foreign",
      ([, second]) => {
        rmSync(second as string);
        mkdirSync(second as string);
      },
    ],
    [
      "with one file in another's place",
      "foreign",
      ([, second, third]) => copyFileSync(third as string, second as string),
    ],
  ])("%s is refused: %s", async (_what, problem, damage) => {
    const directory = folders.copyOf(whole);
    damage(journalFiles(directory));
    await expect(openStore({ kind: "embedded", directory })).rejects.toMatchObject({ name: "StoreOpenError", problem });
  });

  test("that this user may not read is refused as such", async () => {
    const directory = folders.copyOf(whole);
    const [file] = journalFiles(directory) as [string];
    chmodSync(file, 0);
    // Root has access to everything, so the test changes to another user for a moment.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chownSync(directory, NOBODY, NOBODY);
      process.seteuid?.(NOBODY);
    }
    try {
      await expect(openStore({ kind: "embedded", directory })).rejects.toMatchObject({ problem: "noAccess" });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test("a journal of a newer release is rejected as such", async () => {
    const directory = folders.copyOf(whole);
    for (const path of journalFiles(directory)) rmSync(path);
    const head = encodeFrames([jsonFrame("file", { format: 3, from: 1, to: 1 })]);
    writeFileSync(journalPath(directory, { from: 1, to: 1 }), Buffer.concat([head, Buffer.alloc(8192)]));
    await expect(openStore({ kind: "embedded", directory })).rejects.toMatchObject({ problem: "newer" });
  });
});

describe("a write that a crash cut short", () => {
  /** Returns the bounds of the last write of a store in its newest file. */
  async function withLastWrite(): Promise<{
    directory: string;
    path: string;
    from: number;
    to: number;
    before: string;
  }> {
    const directory = folders.copyOf(whole);
    const before = textOf(reading.commits);
    const from = reading.newest.bytes;
    const store = await openStore({ kind: "embedded", directory });
    // One write of several records, over several sectors.
    await Promise.all(["a", "b", "c"].map((key) => put(store, `/registry/torn/${key}`, key.repeat(1000))));
    await store.close();
    const { newest } = readJournal(directory) as JournalReading;
    trimRoom(newest.file.path, newest.bytes);
    return { directory, path: newest.file.path, from, to: newest.bytes, before };
  }

  test("loses nothing that was written before, however much of it reached the disk", async () => {
    const { directory, path, from, to, before } = await withLastWrite();
    const bytes = readFileSync(path);
    const sectors: [number, number][] = [];
    for (let at = from; at < to; at = (Math.floor(at / 512) + 1) * 512) {
      sectors.push([at, Math.min(to, (Math.floor(at / 512) + 1) * 512)]);
    }
    expect(sectors.length).toBeGreaterThan(5);
    const lines = before.split("\n").length;
    for (let pattern = 0; pattern < 2 ** sectors.length - 1; pattern += 1) {
      const torn = Buffer.from(bytes);
      sectors.forEach(([start, end], index) => {
        if ((pattern & (1 << index)) === 0) torn.fill(0, start, end);
      });
      writeFileSync(path, torn);
      const { commits } = readJournal(directory) as JournalReading;
      // Everything acknowledged is present, and unacknowledged records only as a whole.
      const text = textOf(commits);
      expect(text.startsWith(before)).toBe(true);
      expect(textOf(readWhole(directory, bytes, path)).startsWith(text)).toBe(true);
      expect(commits.length).toBeGreaterThanOrEqual(lines - before.split("\n").length);
    }
  }, 120_000);

  const readWhole = (directory: string, bytes: Buffer, path: string): readonly Commit[] => {
    const torn = readFileSync(path);
    writeFileSync(path, bytes);
    const { commits } = readJournal(directory) as JournalReading;
    writeFileSync(path, torn);
    return commits;
  };

  test("leaves a store that is written to and opened again as if it had never been", async () => {
    const { directory, path, from, before } = await withLastWrite();
    // A sector in the middle of the write never reached the disk.
    overwrite(path, Math.ceil(from / 512) * 512, Buffer.alloc(512));
    const store = await openStore({ kind: "embedded", directory });
    const revision = await put(store, "/registry/after", "1");
    expect(revision).toBe((reading.commits.at(-1)?.revision ?? 0) + 1);
    await store.close();
    const { commits } = readJournal(directory) as JournalReading;
    expect(textOf(commits.slice(0, -1))).toBe(before);
    expect(commits.at(-1)).toMatchObject({ revision, events: [{ item: { key: "/registry/after" } }] });
  });
});

describe("recovery", () => {
  const items = async (directory: string) => {
    const store = await openStore({ kind: "embedded", directory });
    const { items, revision } = await store.range(EVERYTHING);
    await store.close();
    return { revision, objects: new Map(items.map((item) => [item.key, item])) };
  };

  test("the recovery of an intact store changes nothing", async () => {
    const directory = folders.copyOf(whole);
    const { revision, objects } = await items(directory);
    expect(await recoverStore(directory, new Date(0))).toEqual({
      revision,
      objects: objects.size,
      lost: [],
      keptIn: undefined,
    });
    expect(journalFiles(directory).map((path) => path.replace(directory, whole))).toEqual(journalFiles(whole));
  });

  test("the recovery keeps all but the damaged record, at an unused revision, and keeps the damaged files", async () => {
    const expected = await items(folders.copyOf(whole));
    const directory = folders.copyOf(whole);
    const damaged = journalFiles(directory).find((path) => readFileSync(path).includes("/registry/new/3")) as string;
    const before = readFileSync(damaged);
    overwrite(damaged, before.indexOf("/registry/new/3") + 60, Buffer.from("Y"));
    const damagedBytes = readFileSync(damaged);

    const { lost, keptIn, objects, revision } = await recoverStore(directory, new Date(0));
    expect(lost).toEqual([expect.stringMatching(/^the record of revision \d+ \(\/registry\/new\/3\)/)]);
    expect(revision).toBe(expected.revision);
    const kept = damaged.replace(directory, keptIn as string);
    expect(readFileSync(kept).equals(damagedBytes)).toBe(true);

    const found = await items(directory);
    expect(found.objects.size).toBe(objects);
    expected.objects.delete("/registry/new/3");
    expect(found.objects).toEqual(expected.objects);
    expect(found.revision).toBeGreaterThan(expected.revision + 1_000_000);
    const store = await openStore({ kind: "embedded", directory });
    await expect(store.range({ ...EVERYTHING, revision: expected.revision })).rejects.toMatchObject({
      code: "compacted",
    });
    expect(await put(store, "/registry/next", "1")).toBe(found.revision + 1);
    await store.close();
  });

  test("does without a file of which nothing is left", async () => {
    const directory = folders.copyOf(whole);
    const [, second] = journalFiles(directory);
    writeFileSync(second as string, Buffer.alloc(1000, "garbage"));
    const { lost, objects } = await recoverStore(directory, new Date(0));
    expect(lost).toEqual([`no record of ${second} can be read`]);
    expect(objects).toBeGreaterThan(0);
    expect((await items(directory)).objects.size).toBe(objects);
  });

  test("that nothing can come of makes no store", async () => {
    const directory = folders.copyOf(whole);
    for (const path of journalFiles(directory)) writeFileSync(path, Buffer.alloc(1000, "garbage"));
    await expect(recoverStore(directory, new Date(0))).rejects.toMatchObject({ problem: "foreign" });
    expect(journalFiles(directory)).toHaveLength(journalFiles(whole).length);
    await expect(recoverStore(folders.fresh(), new Date(0))).rejects.toMatchObject({ problem: "missing" });
  });

  test("that is interrupted can be begun again", async () => {
    const directory = folders.copyOf(whole);
    const files = journalFiles(directory);
    overwrite(files[1] as string, 200, Buffer.alloc(8, "garbage"));
    await recoverStore(directory, new Date(0));
    const expected = await items(directory);
    // Simulates a recovery that ended before it removed the replaced files.
    for (const path of journalFiles(whole)) {
      writeFileSync(path.replace(whole, directory), readFileSync(path));
    }
    expect((await items(directory)).objects).toEqual(expected.objects);
    expect(journalFiles(directory)).toHaveLength(1);
    expect(statSync(journalFiles(directory)[0] as string).size).toBeGreaterThan(0);
  });
});
