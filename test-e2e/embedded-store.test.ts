// The embedded store under damage, a full disk and a second process; recovery, backup and restore.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, newApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { type Program, repository, useWorkplace } from "./harness/processes";

const MAIN = join(repository, "packages/apiserver-program/dist/main.js");
const MAPS = configMapsPath();
const store = { kind: "embedded" } as const;
const workplace = useWorkplace();
let servers = 0;
const name = (what: string) => `${what}-${++servers}`;

/** Creates objects of a given size until stopped, or until a request fails. */
async function fill(server: ApiServer, prefix: string, { bytes, max }: { bytes: number; max: number }) {
  const created: string[] = [];
  for (let count = 0; count < max; count += 1) {
    const object = configMap(`${prefix}-${count}`, { text: "x".repeat(bytes) });
    const answer = await server.admin.post(MAPS, object, { timeoutMs: 15_000 });
    if (answer.status !== 201) return { created, refusal: answer };
    created.push(object.metadata["name"] as string);
  }
  return { created, refusal: undefined };
}

async function names(server: ApiServer): Promise<ReadonlySet<string>> {
  const list = await expectStatus(200, server.admin.get(MAPS));
  return new Set((list.items ?? []).map((item) => item.metadata.name));
}

function command(...args: readonly string[]): Program {
  return workplace.start({ name: name("command"), program: process.execPath, args: [MAIN, ...args] });
}

const journal = (dataDir: string): string => {
  const folder = join(dataDir, "store");
  const file = readdirSync(folder).find((each) => each.startsWith("journal-"));
  if (file === undefined) throw new Error(`no journal in ${folder}`);
  return join(folder, file);
};

/** Data directory with the objects `kept-0` to `kept-19`, whose server has stopped. */
let wholeDir: string;
beforeAll(async () => {
  const server = await startApiServer(workplace, { name: "whole", store });
  await fill(server, "kept", { bytes: 500, max: 20 });
  await server.stop();
  wholeDir = server.dataDir;
}, 60_000);

const copyOfWhole = (): string => {
  const dataDir = workplace.folder();
  cpSync(wholeDir, dataDir, { recursive: true });
  return dataDir;
};

/** Exit code and output of a server on a data directory. */
async function refusalOf(dataDir: string): Promise<{ code: number | NodeJS.Signals; text: string }> {
  const server = await newApiServer(workplace, { name: name("refused"), store, dataDir });
  const program = server.launch();
  const code = await program.ended;
  return { code, text: program.logTail };
}

function changeByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ 0x20;
  writeFileSync(file, bytes);
}

describe("a store that is not as it was written", () => {
  test.each<[string, number, RegExp, (file: string) => void]>([
    [
      "a byte of an object",
      20,
      /the record of revision \d+ \(\/registry\/core\/configmaps\/default\/kept-7\)/,
      (file) => changeByte(file, readFileSync(file).indexOf('"name":"kept-7"') + 200),
    ],
    ["its first bytes", 20, /byte 0, is corrupt/, (file) => changeByte(file, 1)],
    ["half of it", 21, /truncated/, (file) => truncateSync(file, readFileSync(file).indexOf('"name":"kept-7"'))],
    ["less than a page of it", 21, /truncated/, (file) => truncateSync(file, 1000)],
    ["garbage", 22, /is not a journal/, (file) => writeFileSync(file, Buffer.alloc(10_000, "garbage"))],
    ["nothing", 23, /is empty/, (file) => truncateSync(file, 0)],
  ])("%s: the server ends with %i and says what to do", async (_what, code, says, damage) => {
    const dataDir = copyOfWhole();
    damage(journal(dataDir));
    const refusal = await refusalOf(dataDir);
    expect(refusal.code).toBe(code);
    expect(refusal.text).toMatch(says);
    expect(refusal.text).toContain(`orch-apiserver recover --data-dir ${dataDir}`);
  });

  test("is brought back by `recover`: all but what was damaged, and the damaged files are kept", async () => {
    const dataDir = copyOfWhole();
    const file = journal(dataDir);
    changeByte(file, readFileSync(file).indexOf('"name":"kept-7"') + 200);
    const recover = command("recover", "--data-dir", dataDir);
    expect(await recover.ended).toBe(0);
    expect(recover.logTail).toMatch(
      /^Recovered \d+ keys at revision \d+\.\nLost:\n {2}the record of revision \d+ \(.*kept-7\)/,
    );
    const [, kept = ""] = /kept in (.*)\n/.exec(recover.logTail) ?? [];
    expect(readdirSync(kept)).toHaveLength(1);
    const server = await startApiServer(workplace, { name: name("recovered"), store, dataDir });
    const found = await names(server);
    expect(found.has("kept-7")).toBe(false);
    expect([...found].filter((each) => each.startsWith("kept-"))).toHaveLength(19);
    expect((await fill(server, "after", { bytes: 10, max: 1 })).refusal).toBeUndefined();
    expect(await server.stop()).toBe(0);
    const again = command("recover", `--data-dir=${dataDir}`);
    expect(await again.ended).toBe(0);
    expect(again.logTail).toContain("The store is intact");
  });
});

test("a store whose only file is gone is refused with 21, and begun anew once its folder is removed", async () => {
  const dataDir = copyOfWhole();
  rmSync(journal(dataDir));
  const { code, text } = await refusalOf(dataDir);
  expect(code).toBe(21);
  expect(text).toContain(`the store in ${join(dataDir, "store")} has lost its journal`);
  expect(text).toContain("remove the directory to start with an empty store");
  rmSync(join(dataDir, "store"), { recursive: true });
  const server = await startApiServer(workplace, { name: name("anew"), store, dataDir });
  expect([...(await names(server))].filter((each) => each.startsWith("kept-"))).toEqual([]);
  await server.stop();
});

test("a folder that a server has is refused to another one: 25", async () => {
  const server = await startApiServer(workplace, { name: name("holder"), store, dataDir: copyOfWhole() });
  const { code, text } = await refusalOf(server.dataDir);
  expect(code).toBe(25);
  expect(text).toContain(`in use by another process (${server.program.pid})`);
  const recover = command("recover", "--data-dir", server.dataDir);
  expect(await recover.ended).toBe(25);
  // The directory lock is released however the process exits.
  await server.kill();
  server.launch();
  await server.untilReady();
  await server.stop();
});

test("a backup that was taken while objects were written restores into an empty folder", async () => {
  const server = await startApiServer(workplace, { name: name("backed-up"), store, dataDir: copyOfWhole() });
  const before = await fill(server, "before", { bytes: 2000, max: 50 });
  const writing = fill(server, "during", { bytes: 2000, max: 300 });
  const backup = await server.admin.get("/debug/backup");
  expect(backup.status).toBe(200);
  const { created: during } = await writing;
  expect(during).toHaveLength(300);
  await server.stop();

  const [file, dataDir] = [join(workplace.folder(), "backup"), workplace.folder()];
  writeFileSync(file, backup.bytes);
  const restore = command("restore", "--data-dir", dataDir, "--backup", file);
  expect(await restore.ended).toBe(0);
  expect(restore.logTail).toMatch(/^Restored \d+ keys at revision \d+/);
  const second = command("restore", "--data-dir", dataDir, "--backup", file);
  expect(await second.ended).toBe(29);

  const restored = await startApiServer(workplace, { name: name("restored"), store, dataDir });
  const found = await names(restored);
  expect(before.created.filter((each) => !found.has(each))).toEqual([]);
  // The objects found are the first ones in order of writing.
  const count = during.filter((each) => found.has(each)).length;
  expect(during.slice(0, count).every((each) => found.has(each))).toBe(true);
  // A resource version of lost data is answered with an error that makes the client list again.
  const watch = await restored.admin.watch(`${MAPS}?resourceVersion=999999`);
  const [event] = await watch.take(1);
  watch.close();
  expect(event).toMatchObject({ type: "ERROR", object: { code: 410 } });
  await restored.stop();
});

describe("a disk without room", () => {
  test("is said at once, reads and watches go on, and nothing that was acknowledged is lost over kill -9", async () => {
    const server = await newApiServer(workplace, { name: name("full"), store, dataDir: copyOfWhole() });
    // A file size limit simulates a full disk.
    const limits = { fileKib: 10 * 1024 };
    server.launch(limits);
    await server.untilReady();
    const watch = await server.admin.watch(`${MAPS}?resourceVersion=0`);
    const { created, refusal } = await fill(server, "filling", { bytes: 100_000, max: 200 });
    expect(refusal?.status).toBe(500);
    expect(refusal?.statusBody()).toMatchObject({
      kind: "Status",
      message: expect.stringContaining("the store is full"),
    });
    expect(await server.ready()).toBe(false);
    expect((await server.admin.get("/readyz/store")).body).toContain("NOSPACE");
    const found = await names(server);
    expect(created.filter((each) => !found.has(each))).toEqual([]);
    const seen = await watch.take(20 + created.length);
    watch.close();
    expect(seen).toHaveLength(20 + created.length);
    for (const prefix of ["second", "third", "fourth"]) {
      const { created: more, refusal: another } = await fill(server, prefix, { bytes: 100_000, max: 200 });
      created.push(...more);
      expect(another?.status).toBe(500);
    }
    const lines = server.program.logText().split("\n");
    const told = lines.filter((line) => line.includes("the store is full and rejects writes"));
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('"stack"');
    // Deletions need no space.
    expect((await server.admin.delete(`${MAPS}/kept-0`)).status).toBe(200);

    await server.kill();
    server.launch(limits);
    await eventually(
      "it answers again",
      async () => (await server.admin.get("/livez").catch(() => undefined))?.status === 200,
    );
    // No write has been attempted since.
    expect(await server.ready()).toBe(false);
    const after = await names(server);
    expect(created.filter((each) => !after.has(each))).toEqual([]);
    expect(after.has("kept-0")).toBe(false);
    expect((await fill(server, "refused", { bytes: 10, max: 1 })).refusal?.status).toBe(500);

    await server.kill();
    server.launch();
    await server.untilReady();
    expect((await fill(server, "room", { bytes: 100_000, max: 3 })).refusal).toBeUndefined();
    expect(statSync(journal(server.dataDir)).size).toBeGreaterThan(limits.fileKib * 1024);
    await server.stop();
  }, 120_000);

  test("and without a store yet: 27", async () => {
    const server = await newApiServer(workplace, { name: name("no-room"), store });
    const program = server.launch({ fileKib: 1024 });
    expect(await program.ended).toBe(27);
    expect(program.logTail).toContain("free space on its disk");
  });
});
