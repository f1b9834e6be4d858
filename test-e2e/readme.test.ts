// What README.md tells a newcomer to type is typed here, as written, in a copy of the repository where nothing was built yet.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { type Program, repository, tool, useWorkplace } from "./harness/processes";

const INSTALL_AND_BUILD_MS = 240_000;

/** What `make test ARGS=…` hands down to every make under it is not what a reader types. */
const NO_MAKE = { MAKEFLAGS: "", MAKEOVERRIDES: "", ARGS: "" };

const workplace = useWorkplace();
let copy: string;

beforeAll(() => {
  copy = workplace.folder();
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", list, { cwd: repository }).toString().split("\0");
  const present = files.filter((file) => file !== "" && existsSync(join(repository, file))); // one may be deleted and not committed yet
  execFileSync("xargs", ["-0", "cp", "--parents", "-t", copy], { cwd: repository, input: present.join("\0") });
  // As after a first `make`: that it installs them is shown wherever this suite runs in a new copy of the repository.
  execFileSync("cp", ["--archive", "--link", join(repository, "node_modules"), copy]);
}, 30_000);

/** The code under every `<!-- <marker> -->` of the README, with a port that is in use here exchanged for a free one. */
async function blocks(marker: string): Promise<string> {
  const readme = readFileSync(join(copy, "README.md"), "utf8");
  const found = [...readme.matchAll(new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w+\\n(.*?)\`\`\``, "gs"))].map(
    (match) => match[1],
  );
  expect(found.length).toBeGreaterThan(0);
  return found.join("\n");
}

/** Starts a server and waits, as a reader would, until it says that it serves. */
async function start(name: string, command: string): Promise<Program> {
  const program = workplace.start({
    name,
    program: "bash",
    args: ["-c", command],
    cwd: copy,
    group: true,
    env: NO_MAKE,
  });
  const serving = async () => {
    if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
    return program.logTail.includes("Serving on https://127.0.0.1:");
  };
  await eventually(`${command} serves`, serving, { timeoutMs: INSTALL_AND_BUILD_MS, pauseMs: 200 });
  return program;
}

async function type(commands: string): Promise<string> {
  const path = `${join(tool("kubectl"), "..")}:${process.env["PATH"]}`;
  const script = `set -euo pipefail\n${commands}`;
  const done = await promisify(execFile)("bash", ["-c", script], {
    cwd: copy,
    env: { ...process.env, PATH: path },
    timeout: 60_000,
  });
  return done.stdout;
}

/** Ports as written, unless somebody has them: then another, in everything that is typed. */
async function portOr(written: number): Promise<(text: string) => string> {
  const port = (await accepts(written)) ? await freePort() : written;
  const flag = port === written ? "" : ` ARGS=--secure-port=${port}`;
  return (text) => text.replaceAll(`${written}`, `${port}`).replace(/^make run$/m, `make run${flag}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

test("the first five minutes: create, list, change, watch and delete", async () => {
  const exchange = await portOr(6443);
  const server = await start("make-run", exchange(await blocks("five-minutes: server")));
  const shown = await type(exchange(await blocks("five-minutes: client")));
  expect(shown).toContain("[+]ping ok");
  expect(shown).toMatch(/"kind": ?"NamespaceList"/);
  expect(shown).toMatch(/"text": ?"hello"/);
  expect(shown).toMatch(/"kind": ?"ConfigMapList"/);
  expect(shown).toMatch(/"text": ?"good morning"/);
  expect(shown).toMatch(/"type":"ADDED".*"greeting"/);
  expect(shown).toMatch(/"type":"DELETED".*"greeting"/);
  await server.stop();

  // What was kept is there after a restart.
  const again = await start("make-run-again", exchange(await blocks("five-minutes: server")));
  await again.stop();
}, 420_000);

test("the same with kubectl", async () => {
  const exchange = await portOr(7443);
  const server = await start("make-run-kubernetes", exchange(await blocks("five-minutes: kubernetes-server")));
  const shown = await type(exchange(await blocks("five-minutes: kubernetes-client")));
  expect(shown).toContain("namespace/shop created");
  expect(shown).toContain("deployment.apps/web created");
  expect(shown).toContain("image: nginx:1.27");
  expect(shown).toMatch(/deployment.apps "web" deleted/);
  await server.stop();
}, 120_000);

test("the example of startServer() runs", async () => {
  const source = await blocks("example: start-server");
  const lines = source.trim().split("\n");
  expect(lines.length).toBeLessThanOrEqual(23);
  const file = join(copy, "example.ts");
  writeFileSync(file, source);
  await type(
    "npx tsc --ignoreConfig --target es2022 --module nodenext --strict --skipLibCheck --types node --outDir example-out example.ts",
  );
  expect(await type("node example-out/example.js")).toBe("201\n");
}, 60_000);
