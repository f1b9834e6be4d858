import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "@jest/globals";
import { runInProcess } from "@orch/testing";
import type { Revision, Store } from "../contract/contract";
import { LocalStore } from "../local/local-store";
import { openStore } from "../open-store";
import { describeStoreContract } from "../testing/store-contract";
import { WatchRecorder } from "../testing/watch-recorder";
import { KEPT_FREE_BYTES } from "./disk-space";
import { openJournal } from "./open-journal";

const root = mkdtempSync(join(tmpdir(), "store-embedded-"));
let directories = 0;
const newDirectory = () => join(root, `${directories++}`);
const openIn = (directory: string) => openStore({ kind: "embedded", directory });
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeStoreContract("the embedded store", () => openIn(newDirectory()));

const put = async (store: Store, key: string, value: string, lease = 0): Promise<Revision> =>
  (await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value), lease }] })).revision;
const everything = { start: "", end: "\0" };

describe("an embedded store that is opened again", () => {
  test("has its keys, revisions, history and leases", async () => {
    const directory = newDirectory();
    const before = await openIn(directory);
    const lease = await before.grantLease(600);
    const first = await put(before, "a", "1");
    await put(before, "b", "1", lease);
    const last = await put(before, "a", "2");
    const { items } = await before.range(everything);
    await before.close();

    const after = await openIn(directory);
    expect(await after.range(everything)).toMatchObject({ items, revision: last });
    expect((await after.range({ ...everything, revision: first })).items).toMatchObject([{ value: Buffer.from("1") }]);
    const seen = new WatchRecorder(after, { ...everything, fromRevision: first });
    await seen.untilRevision(last);
    expect(seen.lines).toEqual([`${first} a=1`, `${first + 1} b=1`, `${last} a=2`]);
    await after.revokeLease(lease);
    expect((await after.range(everything)).items.map(({ key }) => key)).toEqual(["a"]);
    expect(await put(after, "c", "1")).toBe(last + 2);
    await after.close();
  });

  test("has forgotten what was compacted, and only that", async () => {
    const directory = newDirectory();
    const before = await openIn(directory);
    const old = await put(before, "a", "1");
    // Two keys in one revision, one of which is written again.
    const mixed: Revision = (
      await before.txn({
        compare: [],
        then: [
          { kind: "put", key: "kept", value: Buffer.from("1") },
          { kind: "put", key: "rewritten", value: Buffer.from("1") },
        ],
      })
    ).revision;
    await put(before, "rewritten", "2");
    await before.txn({ compare: [], then: [{ kind: "delete", start: "a" }] });
    const compactRevision = await put(before, "b", "1");
    const { items } = await before.range(everything);
    await before.compact(compactRevision);
    const last = await put(before, "b", "2");
    await before.close();

    const after = await openIn(directory);
    await expect(after.range({ start: "a", revision: old })).rejects.toMatchObject({
      code: "compacted",
      compactRevision,
    });
    expect((await after.range({ ...everything, revision: compactRevision })).items).toEqual(items);
    expect((await after.range({ start: "kept" })).items).toMatchObject([{ createRevision: mixed, version: 1 }]);
    expect((await after.range({ start: "rewritten" })).items).toMatchObject([{ createRevision: mixed, version: 2 }]);
    const seen = new WatchRecorder(after, { ...everything, fromRevision: compactRevision });
    await seen.untilRevision(last);
    expect(seen.lines).toEqual([`${compactRevision} b=1`, `${last} b=2`]);
    await after.close();
  });

  test("refuses a directory that is open already", async () => {
    const directory = newDirectory();
    const store = await openIn(directory);
    await expect(openIn(directory)).rejects.toThrow("already open in this process");
    await put(store, "a", "1");
    await store.close();
    await (await openIn(directory)).close();
  });
});

const WRITER = `
  const store = await require("./open-store.ts").openStore({ kind: "embedded", directory: DIRECTORY });
  let written = 0;
  const write = async () => {
    for (;;) {
      const key = "key-" + written++;
      const { revision } = await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(key) }] });
      console.log(key + " " + revision);
      if (revision % 500 === 0) await store.compact(revision);
    }
  };
  await Promise.all(Array.from({ length: 16 }, write));
`;

test("a process killed during writes loses no acknowledged write, and its directory is locked while it runs", async () => {
  const directory = newDirectory();
  const source = join(__dirname, "..");
  const writer = runInProcess(source, WRITER.replace("DIRECTORY", JSON.stringify(directory)));
  const ended = new Promise((done) => writer.once("exit", done));
  const acknowledged = new Map<string, Revision>();
  for await (const line of createInterface({ input: writer.stdout as NodeJS.ReadableStream })) {
    const [key = "", revision = ""] = line.split(" ");
    acknowledged.set(key, Number(revision));
    if (acknowledged.size === 1000) {
      await expect(openIn(directory)).rejects.toThrow("in use by another process");
      writer.kill("SIGKILL");
    }
  }
  await ended;
  expect(acknowledged.size).toBeGreaterThanOrEqual(1000);

  const store = await openIn(directory);
  const { items, revision } = await store.range(everything);
  const found = new Map(items.map((item) => [item.key, item.modRevision]));
  expect([...acknowledged].filter(([key, at]) => found.get(key) !== at)).toEqual([]);
  // Every revision wrote one key, so none is missing in between.
  expect(items.length).toBe(revision - 1);
  expect(items.every((item) => item.value.toString() === item.key)).toBe(true);
  await store.close();
}, 30_000);

test("an embedded store on a disk without room refuses writes, says so, and takes them again when there is room", async () => {
  let free = 1 << 30;
  const store = new LocalStore(await openJournal(newDirectory(), { freeBytes: async () => free }));
  await put(store, "a", "1");
  // A new file begins with little allocated space. A status call waits until all is allocated.
  expect((await store.status()).available).toBe((1 << 30) - KEPT_FREE_BYTES);
  free = 1 << 20;
  const fill = async () => {
    for (let count = 0; count < 8; count += 1) await put(store, "filling", "x".repeat(1 << 20));
  };
  await expect(fill()).rejects.toMatchObject({ code: "full" });
  expect(await store.status()).toMatchObject({ alarms: ["NOSPACE"], available: 0 });
  const { items, revision } = await store.range(everything);
  expect(items.map(({ key }) => key)).toEqual(["a", "filling"]);
  free = 1 << 30;
  expect(await put(store, "b", "2")).toBe(revision + 1);
  expect((await store.status()).alarms).toEqual([]);
  await store.close();
});

test("additions to values are read with them and are not part of them", async () => {
  const directory = newDirectory();
  const values = ["{old}", "no object", "{new}"].map((text) => Buffer.from(text));
  const first = await openIn(directory);
  for (const value of values) await first.txn({ compare: [], then: [{ kind: "put", key: "/a", value }] });
  await first.close();
  const additions = (value: Buffer, revision: Revision) =>
    value[0] === 0x7b ? { at: 1, text: `${revision},` } : undefined;
  const store = await openStore({ kind: "embedded", directory, additions });
  const read = async (revision: Revision) => (await store.range({ start: "/a", revision })).items[0];
  expect(await Promise.all([2, 3, 4].map(async (at) => (await read(at))?.value))).toEqual(values);
  expect((await read(3))?.held).toBeUndefined();
  const newest = await read(4);
  expect(newest?.held).toEqual({ whole: Buffer.from("{4,new}"), at: 1, length: 2 });
  newest?.heldIn?.(values[2] as Buffer, { at: 0, length: 0 });
  expect((await read(4))?.held).toBeUndefined();
  expect((await read(4))?.value).toBe(values[2]);
  await store.close();
});
