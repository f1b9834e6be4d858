import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { runInProcess } from "@orch/testing";
import { openStore } from "../open-store";
import { journalFiles, put } from "../testing/journal-folders";

const root = mkdtempSync(join(tmpdir(), "begin-store-"));
let count = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Returns the path of a new store in an existing folder, like a mounted volume. */
function newPlace(): string {
  const place = join(root, `${count++}`, "store");
  mkdirSync(dirname(place));
  return place;
}

const openIn = (directory: string) => openStore({ kind: "embedded", directory });

async function madeIn(directory: string): Promise<string> {
  const store = await openIn(directory);
  await put(store, "/registry/kept", "1");
  await store.close();
  return directory;
}

/** Opens a store, returns its keys, and closes it. */
async function keysIn(directory: string): Promise<readonly string[]> {
  const store = await openIn(directory);
  const { items } = await store.range({ start: "", end: "\0" });
  await store.close();
  return items.map(({ key }) => key);
}

describe("a store's folder", () => {
  test.each<[string, (directory: string) => void]>([
    ["its only file", (directory) => rmSync(journalFiles(directory)[0] as string)],
    [
      "all that was in it",
      (directory) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory);
      },
    ],
    [
      "its only file, and has one that a crash has left",
      (directory) => {
        rmSync(journalFiles(directory)[0] as string);
        writeFileSync(join(directory, "unfinished-1"), "x");
      },
    ],
  ])("that has lost %s is refused each time, and left as it is", async (_what, lose) => {
    const directory = await madeIn(newPlace());
    lose(directory);
    const before = readdirSync(directory);
    for (let time = 0; time < 2; time += 1) await expect(openIn(directory)).rejects.toMatchObject({ problem: "gone" });
    expect(readdirSync(directory)).toEqual(before);
  });

  test("that was removed is made anew, and nothing is left beside it", async () => {
    const directory = await madeIn(newPlace());
    rmSync(directory, { recursive: true });
    expect(await keysIn(directory)).toEqual([]);
    expect(readdirSync(dirname(directory))).toEqual(["store"]);
  });

  test("is made by one of several that begin at once", async () => {
    const directory = newPlace();
    const opened = await Promise.allSettled([openIn(directory), openIn(directory), openIn(directory)]);
    const stores = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const reasons = opened.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    expect(stores.length).toBeLessThanOrEqual(1);
    for (const reason of reasons) expect(reason).toMatchObject({ problem: "inUse" });
    for (const store of stores) await store.close();
    expect(await keysIn(directory)).toEqual([]);
  });
});

/** File system calls of a first start. The process is killed in place of the call with a given number. */
const CALLS = ["mkdirSync", "openSync", "write", "renameSync", "fsyncSync", "rmSync"] as const;

test("a first start that is killed in its midst, anywhere, is begun again", async () => {
  for (const call of CALLS) {
    for (let number = 1; ; number += 1) {
      const directory = newPlace();
      const child = runInProcess(
        resolve(__dirname, ".."),
        `
        const { openJournal } = require("./embedded/open-journal.ts");
        const fs = require("node:fs");
        const { ${call}: real } = fs;
        let calls = 0;
        fs.${call} = (...args) => {
          calls += 1;
          if (calls < ${number}) return real(...args);
          process.kill(process.pid, "SIGKILL");
          for (;;);
        };
        await openJournal(${JSON.stringify(directory)});
        process.exit(0);
      `,
      );
      const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      if (existsSync(directory)) expect(journalFiles(directory)).toHaveLength(1);
      expect([call, number, await keysIn(directory)]).toEqual([call, number, []]);
      expect(readdirSync(dirname(directory))).toEqual(["store"]);
      if (signal === null) break;
    }
  }
}, 120_000);
