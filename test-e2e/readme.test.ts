// The commands of README.md work as written, in a fresh copy of the repository.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { type Program, repository, tool, useWorkplace } from "./harness/processes";

const INSTALL_AND_BUILD_MS = 240_000;

/** Clears what `make test ARGS=…` passes to nested makes, which a reader does not have. */
const NO_MAKE = { MAKEFLAGS: "", MAKEOVERRIDES: "", MAKELEVEL: "", ARGS: "" };

const PROGRAMS = ["orch-apiserver", "orch-controller-manager", "orch-standalone"];
const OWN_PACKAGES = ["@orch/apiserver", "@orch/controllers", "@orch/standalone"];

const workplace = useWorkplace();
let copy: string;

beforeAll(() => {
  copy = workplace.folder();
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", list, { cwd: repository }).toString().split("\0");
  const present = files.filter((file) => file !== "" && existsSync(join(repository, file))); // one may be deleted and not committed yet
  execFileSync("xargs", ["-0", "cp", "--parents", "-t", copy], { cwd: repository, input: present.join("\0") });
  // The state after a first `make`; the installation itself is covered when the suite runs in a new clone.
  execFileSync("cp", ["--archive", "--link", join(repository, "node_modules"), copy]);
  // npm links the repository's programs again, as after a clone: their build outputs do not exist yet.
  for (const program of PROGRAMS) rmSync(join(copy, "node_modules/.bin", program), { force: true });
  execFileSync("npm", ["rebuild", "--ignore-scripts", ...OWN_PACKAGES], { cwd: copy, stdio: "ignore" });
}, 60_000);

/** Returns the code after every `<!-- <marker> -->` of the README, with ports that are in use replaced by free ones. */
async function blocks(marker: string): Promise<string> {
  const readme = readFileSync(join(copy, "README.md"), "utf8");
  const found = [...readme.matchAll(new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w+\\n(.*?)\`\`\``, "gs"))].map(
    (match) => match[1],
  );
  expect(found.length).toBeGreaterThan(0);
  return found.join("\n");
}

const SERVES = '"url":"https://127.0.0.1:';
const LEADS = '"message":"became leader"';

/** Starts a program and waits for its ready message, as a reader would. */
async function start(name: string, command: string, says = SERVES): Promise<Program> {
  const program = workplace.start({
    name,
    program: "bash",
    args: ["-c", command],
    cwd: copy,
    group: true,
    env: NO_MAKE,
  });
  const works = async () => {
    if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
    return program.logTail.includes(says);
  };
  await eventually(`${command} works`, works, { timeoutMs: INSTALL_AND_BUILD_MS, pauseMs: 200 });
  return program;
}

async function type(commands: string, timeout = 60_000): Promise<string> {
  const path = `${join(tool("kubectl"), "..")}:${process.env["PATH"]}`;
  const script = `set -euo pipefail\n${commands}`;
  const done = await promisify(execFile)("bash", ["-c", script], {
    cwd: copy,
    env: { ...process.env, ...NO_MAKE, PATH: path },
    timeout,
  });
  return done.stdout;
}

/** Keeps a written port unless it is in use; then replaces it in all commands. */
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

test("a program that is not built yet says what to do", async () => {
  for (const program of PROGRAMS) {
    await expect(type(`npx --no-install ${program} --help`)).rejects.toThrow(
      `${program} is not built yet: run make build`,
    );
  }
}, 60_000);

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

  // Data survives a restart.
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

test("the programs of their own: a server, and a manager that leads", async () => {
  await type(await blocks("programs: build"), INSTALL_AND_BUILD_MS);
  const [exchangeServer, exchangeManager] = [await portOr(6444), await portOr(10257)];
  const server = await start("apiserver", exchangeServer(await blocks("programs: server")));
  const manager = await start("controller-manager", exchangeManager(await blocks("programs: manager")), LEADS);
  await manager.stop();
  await server.stop();
}, 300_000);

test("what is packed for other projects holds the programs and the explorer's page", async () => {
  const packed = JSON.parse(await type("npm pack --dry-run --json --workspaces --loglevel=error")) as {
    readonly name: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  const files = packed.flatMap(({ name, files }) => files.map(({ path }) => `${name}/${path}`));
  expect(files).toEqual(
    expect.arrayContaining([
      "@orch/apiserver/bin/orch-apiserver.js",
      "@orch/apiserver/dist/build.json",
      "@orch/apiserver/dist/main.js",
      "@orch/apiserver/pages/docs/index.html",
      "@orch/controllers/bin/orch-controller-manager.js",
      "@orch/standalone/bin/orch-standalone.js",
    ]),
  );
}, 60_000);

test("a build says what it does, and does nothing where nothing has changed", async () => {
  await type("make build", INSTALL_AND_BUILD_MS);
  expect(await type("make build 2>&1")).toBe("");
  const check = "node scripts/build.mjs --check";
  await type(check);
  await expect(type(`touch packages/store/src/key-order.ts && ${check}`)).rejects.toThrow();
  const said = await type("make build 2>&1", INSTALL_AND_BUILD_MS);
  for (const step of ["[1/6] Checking and installing packages", "[4/6] Compiling", "[6/6] Packing the programs"])
    expect(said).toContain(step);
  await type(check);
  await expect(type(`rm packages/apiserver/dist/build.json && ${check}`)).rejects.toThrow();
}, 300_000);

test("packages for other projects are made in a folder that is not there yet", async () => {
  const folder = join(copy, "packed");
  await type((await blocks("packages: pack")).replaceAll("/tmp/orch", folder), INSTALL_AND_BUILD_MS);
  expect(readdirSync(folder).filter((file) => file.endsWith(".tgz"))).toHaveLength(
    readdirSync(join(repository, "packages")).length,
  );
}, 300_000);

test("the declarations of packages need no types that their users do not have", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const untyped = Object.keys(devDependencies).flatMap((name) => /^@types\/(?!node$)(.+)/.exec(name)?.[1] ?? []);
  expect(untyped).toContain("express");
  const imports = new RegExp(`(?:from|import\\()\\s*"(?:${untyped.join("|")})"`);
  const folders = readdirSync(join(repository, "packages")).map((name) => join(repository, "packages", name, "dist"));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const published = files.filter((file) => file.endsWith(".d.ts") && !/\/testing\/|\.test\.d\.ts$/.test(file));
  const reached = published.filter((file) => imports.test(readFileSync(file, "utf8")));
  // Internal files, which no other declaration imports, are not compiled for other packages.
  const ofPipeline = /\/apiserver\/dist\/(pipeline\/|server\/pipeline\.d\.ts$)/;
  expect(reached.filter((file) => !ofPipeline.test(file))).toEqual([]);
});

test("the example of startServer() runs", async () => {
  const source = await blocks("example: start-server");
  const lines = source.trim().split("\n");
  expect(lines.length).toBeLessThanOrEqual(23);
  const file = join(copy, "example.ts");
  writeFileSync(file, source);
  await type(
    "npx tsc --ignoreConfig --target es2022 --module nodenext --strict --types node --outDir example-out example.ts",
  );
  expect(await type("node example-out/example.js")).toBe("201\n");
}, 60_000);
