// The first lines that somebody sees who starts the server: for people on a terminal, for programs in a pipe.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { type Program, repository, useWorkplace } from "./harness/processes";

const STANDALONE = join(repository, "packages/standalone/dist/main.js");
const LAST_SAID = "the duties begin";

const workplace = useWorkplace();

interface Started {
  readonly program: Program;
  /** Where it was started, and keeps its files. */
  readonly folder: string;
  readonly url: string;
  readonly said: string;
  /** Those that are not empty. */
  readonly lines: readonly string[];
}

/** In a folder of its own, until it has said all that it says at its start. */
async function start(name: string, where: "terminal" | "pipe", flags: readonly string[] = []): Promise<Started> {
  const folder = workplace.folder();
  const port = await freePort();
  const server = ["--bind-address=127.0.0.1", `--secure-port=${port}`, "--authorization-mode=RBAC", "--store=memory"];
  const words = [process.execPath, STANDALONE, ...server, ...flags];
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = workplace.start({
    name,
    ...(where === "terminal"
      ? { program: "script", args: ["--quiet", "--return", "--flush", "--command", `exec ${quoted}`, "/dev/null"] }
      : { program: process.execPath, args: words.slice(1) }),
    cwd: folder,
    group: true,
  });
  await eventually(`${name} has begun`, async () => {
    if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
    return readFileSync(program.logFile, "utf8").includes(LAST_SAID);
  });
  const said = readFileSync(program.logFile, "utf8");
  return { program, folder, url: `https://127.0.0.1:${port}`, said, lines: said.split(/\r?\n/).filter(Boolean) };
}

const tokenIn = ({ folder }: Started): string =>
  readFileSync(join(folder, ".orch/explorer.url"), "utf8").trim().split("#token=")[1] ?? "";

test("on a terminal they are a person's: the address, the file, the explorer's link, what to try", async () => {
  const started = await start("terminal", "terminal");
  const { lines, url } = started;
  expect(lines[0]).toBe(`Serving on ${url}`);
  expect(lines[1]).toContain(".orch/admin.kubeconfig");
  expect(lines[2]).toContain(`${url}/docs#token=${tokenIn(started)}`);
  expect(lines[3]).toBe("Try:");
  expect(lines[4]).toContain(`curl --cacert .orch/pki/ca.crt`);
  expect(lines.filter((line) => line.startsWith("{") || / (warn|error) /.test(line))).toEqual([]);
  await started.program.kill();
}, 60_000);

test.each([
  ["in a pipe", "pipe", []],
  ["on a terminal, where they are asked to be", "terminal", ["--logging-format=json"]],
] as const)(
  "%s they are JSON, and the token is not among them",
  async (name, where, flags) => {
    const started = await start(name.replaceAll(/\W+/g, "-"), where, flags);
    const said = started.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(said.slice(0, 2)).toMatchObject([
      { level: "info", message: "listening" },
      {
        level: "info",
        message: "ready",
        url: started.url,
        kubeconfig: ".orch/admin.kubeconfig",
        explorer: ".orch/explorer.url",
        try: expect.arrayContaining([expect.stringContaining("curl --cacert .orch/pki/ca.crt")]),
      },
    ]);
    expect(tokenIn(started)).not.toBe("");
    expect(started.said).not.toContain(tokenIn(started));
    expect(said.filter(({ level }) => level !== "info")).toEqual([]);
    await started.program.kill();
  },
  60_000,
);

test("in a pipe they are text where they are asked to be, and the token is not among them", async () => {
  const started = await start("text", "pipe", ["--logging-format=text"]);
  expect(started.lines).toContain(`Serving on ${started.url}`);
  expect(started.lines.filter((line) => line.startsWith("{"))).toEqual([]);
  expect(tokenIn(started)).not.toBe("");
  expect(started.said).not.toContain(tokenIn(started));
  expect(statSync(join(started.folder, ".orch/explorer.url")).mode & 0o077).toBe(0);
  await started.program.stop();
  expect(() => tokenIn(started)).toThrow("ENOENT");
}, 60_000);

test("without an explorer's token there is no link and no file", async () => {
  const started = await start("without-token", "terminal", ["--explorer-token=false"]);
  expect(started.lines[0]).toBe(`Serving on ${started.url}`);
  expect(started.said).not.toMatch(/token=|explorer/);
  expect(() => tokenIn(started)).toThrow("ENOENT");
  await started.program.kill();
}, 60_000);
