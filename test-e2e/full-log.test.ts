// A log that cannot be written, because the disk is full or the pipe is not read, loses lines and nothing else.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import type { ApiClient } from "./harness/https-client";
import { repository, useWorkplace } from "./harness/processes";

const API_SERVER = join(repository, "packages/apiserver-program/dist/main.js");
const STANDALONE = join(repository, "packages/standalone/dist/main.js");
const LOST = "apiserver_log_lines_lost_total";
const FULL = "/dev/full";
const NO_ROOM = "ENOSPC: no space left on device, write";
const EVERY_REQUEST = "--v=3";

const workplace = useWorkplace();

const lostLines = async (admin: ApiClient): Promise<number> =>
  Number(new RegExp(`^${LOST} (\\d+)$`, "m").exec((await admin.get("/metrics")).body)?.[1]);

const readiness = async (admin: ApiClient) => (await admin.get("/readyz?verbose")).body;

describe.each(["memory", "embedded"] as const)("on a store %s", (kind) => {
  test("a server whose log has no room serves on, and says what is lost", async () => {
    const output = { stderr: FULL };
    const flags = [EVERY_REQUEST];
    const server = await startApiServer(workplace, { name: `full-${kind}`, store: { kind }, flags, output });
    for (let count = 0; count < 20; count += 1) expect((await server.admin.get("/version")).status).toBe(200);
    expect(await lostLines(server.admin)).toBeGreaterThan(20);
    expect(await readiness(server.admin)).toContain(`warn: the log cannot be written: ${NO_ROOM}; `);
    expect(await server.ready()).toBe(true);
    expect((await server.admin.get("/livez")).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});

test("with space available again, the log continues with a whole line and reports the number of dropped lines", async () => {
  const limits = { fileKib: 64 };
  const flags = [EVERY_REQUEST];
  const server = await startApiServer(workplace, { name: "room-again", store: { kind: "memory" }, flags, limits });
  const { logFile } = server.program;
  // Leaves room for the beginning of a line, as a disk that fills up usually has.
  truncateSync(logFile, limits.fileKib * 1024 - 10);
  for (let count = 0; count < 20; count += 1) expect((await server.admin.get("/version")).status).toBe(200);
  const lost = await lostLines(server.admin);
  expect(lost).toBeGreaterThanOrEqual(20);
  expect(await readiness(server.admin)).toContain("warn: the log cannot be written: EFBIG");

  truncateSync(logFile, 0);
  await server.admin.get("/version");
  await eventually("the log goes on", async () => server.program.logText().includes("linesSinceStart"));
  const [beforeFirst, ...lines] = server.program.logText().split("\n");
  expect(beforeFirst).toBe("");
  const said = lines.filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: "log lines could not be written",
      error: expect.stringContaining("EFBIG"),
    }),
  );
  expect(Number(said.find(({ linesSinceStart }) => linesSinceStart)?.["linesSinceStart"])).toBeGreaterThanOrEqual(lost);
  expect(await readiness(server.admin)).not.toContain("warn: the log");
  expect(await server.stop()).toBe(0);
});

test("an unread log is buffered up to a limit", async () => {
  const pipe = join(workplace.folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, "r+");
  const flags = [EVERY_REQUEST];
  const output = { stderr: pipe };
  const server = await startApiServer(workplace, { name: "unread", store: { kind: "memory" }, flags, output });
  const long = `/version/${"x".repeat(6000)}`;
  for (let count = 0; count < 300; count += 1) expect((await server.admin.get(long)).status).toBe(404);
  expect(await lostLines(server.admin)).toBeGreaterThan(50);
  expect(await readiness(server.admin)).toContain("warn: the log cannot be written: the reader of the log has stalled");
  await server.kill();
  closeSync(reader);
});

test("a controller manager and a standalone server go on without a log, and without standard output", async () => {
  const output = { stdout: FULL, stderr: FULL };
  const folder = workplace.folder();
  const port = await freePort();
  const standalone = workplace.start({
    name: "standalone",
    program: process.execPath,
    args: [STANDALONE, "--bind-address=127.0.0.1", `--secure-port=${port}`, "--logging-format=text", EVERY_REQUEST],
    cwd: folder,
    output,
  });
  const server = await startApiServer(workplace, { name: "managed", store: { kind: "memory" } });
  const manager = new ControllerManagers(workplace, server).start("manager", ["--v=6"], output);
  const managed = "/api/v1/namespaces/managed";
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "managed" } };
  expect((await server.admin.post("/api/v1/namespaces", body)).status).toBe(201);
  expect((await server.admin.delete(managed)).status).toBe(200);
  await eventually(
    "the manager has emptied the namespace",
    async () => (await server.admin.get(managed)).status === 404,
  );
  expect(await manager.stop()).toBe(0);
  await eventually("the standalone server serves", async () => readFileSync(join(folder, ".orch/explorer.url")));
  expect(standalone.running).toBe(true);
  expect(await standalone.stop()).toBe(0);
  await server.stop();
});

describe("a program that ends", () => {
  test.each([
    ["with the code of what is wrong, though the log cannot take it", { stderr: FULL }, ["recover"], 30],
    ["with 1 where what it prints is lost", { stdout: FULL }, ["--version"], 1],
    ["with 1 where its help is lost", { stdout: FULL }, ["--help"], 1],
  ] as const)("%s", async (name, output, words, code) => {
    const args = [API_SERVER, ...words, ...(words[0] === "recover" ? ["--data-dir", workplace.folder()] : [])];
    const program = workplace.start({
      name: name.replaceAll(/\W+/g, "-"),
      program: process.execPath,
      args,
      output,
    });
    expect(await program.ended).toBe(code);
    if ("stdout" in output) expect(program.logText()).toBe(`error: standard output: ${NO_ROOM}\n`);
  });
});

test("a server that cannot greet on standard output says so in its log", async () => {
  const folder = workplace.folder();
  const port = await freePort();
  const flags = ["--bind-address=127.0.0.1", `--secure-port=${port}`, "--store=memory", "--logging-format=text"];
  const program = workplace.start({
    name: "without-greeting",
    program: process.execPath,
    args: [API_SERVER, ...flags],
    cwd: folder,
    output: { stdout: FULL },
  });
  await eventually("it says so", async () =>
    program.logText().includes(`warn cannot write to standard output error="${NO_ROOM}"`),
  );
  expect(await program.stop()).toBe(0);
});
