// The npm package of the test server, as a project of its own uses it: installed from the tarball, with nothing of the
// repository but the test runners and the client library of Kubernetes.
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parsePage } from "./harness/markdown";
import { repository } from "./harness/processes";
import { testServerTarball } from "./harness/test-server-tarball";

const MIB = 1024 * 1024;
const TIMEOUT_MS = 240_000;

let project: string;
let installed: string;

function run(command: string, ...words: readonly string[]): SpawnSyncReturns<string> {
  return runIn(project, command, ...words);
}
function runIn(cwd: string, command: string, ...words: readonly string[]): SpawnSyncReturns<string> {
  const { ORCH_TEST_SERVER_POOL: _, JEST_WORKER_ID: __, NODE_OPTIONS: ___, ...env } = process.env;
  return spawnSync(command, words, { cwd, encoding: "utf8", env: { ...env, CI: "true", NO_COLOR: "1" } });
}
const runTool = (name: string, ...words: readonly string[]) =>
  run(process.execPath, join(repository, "node_modules", name), ...words);

function put(path: string, text: string): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "project-"));
  put("package.json", JSON.stringify({ name: "project", private: true, type: "module" }));
  const added = run("npm", "install", "--offline", "--no-audit", "--no-fund", testServerTarball());
  expect(added).toMatchObject({ status: 0 });
  installed = join(project, "node_modules/@orch/test-server");
  for (const name of ["vitest", "@kubernetes/client-node", "@jest/globals", "@types/node", "undici-types", "vite"]) {
    mkdirSync(join(project, "node_modules", dirname(name)), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), join(project, "node_modules", name));
  }
}, TIMEOUT_MS);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

test("the package is small, needs no other package, and contains its licence and description", () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect({ dependencies, scripts }).toEqual({ dependencies: undefined, scripts: undefined });
  const files = filesIn(installed);
  expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(15 * MIB);
  const own = files.map((file) => file.slice(installed.length + 1));
  expect(own).toEqual(expect.arrayContaining(["LICENSE", "README.md", "index.cjs", "index.mjs", "index.d.mts"]));
  expect(own.filter((file) => /\.map$|tsbuildinfo|\.test\./.test(file))).toEqual([]);
});

test("the declarations are complete under strict, without skipLibCheck", () => {
  put(
    "types.ts",
    `import { startServer, type TestServer, type TestServerOptions } from "@orch/test-server";
import { server as pooled } from "@orch/test-server/vitest";
import { globalSetup } from "@orch/test-server/vitest/global";
const options: TestServerOptions = { controllers: ["namespace"], release: "1.34", crds: [{}] };
export async function use(): Promise<string> {
  const server: TestServer = await startServer(options);
  await server.reset();
  const found: number = await server.waitFor(() => 1 as number | undefined);
  globalSetup({ crds: ["config/crd"] });
  // @ts-expect-error an unknown option
  void startServer({ releese: "1.34" });
  return server.url + pooled.url + found;
}
`,
  );
  const common = { strict: true, skipLibCheck: false, target: "es2022", types: ["node"], noEmit: true };
  for (const module of [{ module: "nodenext" }, { module: "esnext", moduleResolution: "bundler" }]) {
    put("tsconfig.json", JSON.stringify({ compilerOptions: { ...common, ...module }, files: ["types.ts"] }));
    expect(runTool("typescript/bin/tsc", "--project", ".")).toMatchObject({ stdout: "", status: 0 });
  }
});

test("vitest gives each worker a server, resets it between files, and explains a failure", () => {
  put(
    "vitest.config.mjs",
    `export default { test: { include: ["vitest/*.test.ts"], globalSetup: ["@orch/test-server/vitest/global"],
      setupFiles: ["@orch/test-server/vitest"], maxWorkers: 2, minWorkers: 2, testTimeout: 60000 } };`,
  );
  for (const name of ["one", "two", "three"])
    put(
      `vitest/${name}.test.ts`,
      `import { expect, test } from "vitest";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { server } from "@orch/test-server/vitest";
test("a namespace of ${name} goes, and no other file's is there", async () => {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const names = async () => (await api.listNamespace()).items.map(({ metadata }) => metadata?.name);
  expect((await names()).sort()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  await api.createNamespace({ body: { metadata: { name: "${name}" } } });
  await api.createNamespace({ body: { metadata: { name: "stays" } } });
  await api.deleteNamespace({ name: "${name}" });
  await server.waitFor(async () => !(await names()).includes("${name}"), { timeoutMs: 50000 });
});
`,
    );
  put(
    "vitest/fails.test.ts",
    `import { test } from "vitest";
import { server } from "@orch/test-server/vitest";
test("fails", async () => {
  await server.client.getText("/not/there");
});
`,
  );
  const { stdout, stderr, status } = runTool("vitest/vitest.mjs", "run");
  expect({ status, told: stdout + stderr }).toMatchObject({ status: 1 });
  expect(stdout).toMatch(/Tests +1 failed \| 3 passed/);
  expect(stderr).toContain("get /not/there: 404");
});

test("jest gives each worker a server, and errors are of the test's own kind", () => {
  put(
    "jest.config.json",
    JSON.stringify({
      testMatch: ["<rootDir>/jest/*.test.cjs"],
      globalSetup: "@orch/test-server/jest/global",
      globalTeardown: "@orch/test-server/jest/teardown",
      setupFilesAfterEnv: ["@orch/test-server/jest"],
      testTimeout: 60_000,
      transform: {},
    }),
  );
  for (const name of ["one", "two"])
    put(
      `jest/${name}.test.cjs`,
      `const { server } = require("@orch/test-server/jest");
test("objects are applied, and are not there in other files", async () => {
  expect(await server.client.getText("/readyz")).toBe("ok");
  const [map] = await server.applyManifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data: { by: "${name}" } });
  expect(map).toMatchObject({ data: { by: "${name}" } });
  const snapshot = await server.snapshot();
  const jane = await server.issueClient({ name: "jane" });
  await expect(jane.client.getJson("/api/v1/namespaces")).rejects.toMatchObject({ code: 403 });
  await server.restore(snapshot);
});
`,
    );
  put(
    "jest/direct.test.cjs",
    `const { startServer } = require("@orch/test-server");
test("a server of a test of its own", async () => {
  await expect(startServer({ nope: 1 })).rejects.toThrow(TypeError);
  const server = await startServer({ controllers: false });
  expect(await server.client.getText("/readyz")).toBe("ok");
  await server.stop();
});
`,
  );
  const { stderr, status } = runTool("jest/bin/jest.js", "--config", "jest.config.json");
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toMatch(/Tests: +3 passed/);
  expect(stderr).not.toContain("did not exit");
});

test("the examples of the package's description run", () => {
  const { blocks } = parsePage(readFileSync(join(installed, "README.md"), "utf8"));
  const named = new Map(
    blocks
      .map(({ text }) => [/^(?:\/\/|#) (\S+)\n/.exec(text)?.[1] ?? "", text] as const)
      .filter(([name]) => name !== ""),
  );
  for (const [name, text] of named) put(`example/${name}`, text);
  const configuration = (named.get("vitest.config.mjs") ?? "").replace(
    "@orch/test-server/vitest/global",
    "./global-setup.ts",
  );
  put("example/with-options.config.mjs", configuration);
  for (const words of [["run"], ["run", "--config", "with-options.config.mjs"]]) {
    const tool = join(repository, "node_modules/vitest/vitest.mjs");
    const tested = runIn(join(project, "example"), process.execPath, tool, ...words, "snacks");
    expect(tested).toMatchObject({ status: 0 });
    expect(tested.stdout).toMatch(/Tests +1 passed/);
  }
  expect(run(process.execPath, "--test", "example/own.test.mjs")).toMatchObject({ status: 0 });
});

test("the example of the front page runs", () => {
  const { blocks } = parsePage(readFileSync(join(repository, "README.md"), "utf8"));
  const example = blocks.find(({ text }) => text.startsWith('test("a snack')) as { readonly text: string };
  put(
    "example/front.test.ts",
    `import { builtInTypes, type ResourceClient } from "@orch/test-server/client";
import { server } from "@orch/test-server/vitest";
import { afterEach, beforeEach, test } from "vitest";
import { runSnackController } from "./snack-controller";
const types = builtInTypes("kubernetes");
const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
const nut = { apiVersion: "example.com/v1", kind: "Snack", metadata: { name: "nut", namespace: "shop" } };
const stop = new AbortController();
let configMaps: ResourceClient<object>;
let namespaces: ResourceClient<object>;
beforeEach(() => {
  configMaps = server.client.resource(types.configMaps).namespace("shop");
  namespaces = server.client.resource(types.namespaces);
});
afterEach(() => stop.abort());
${example.text}`,
  );
  const tool = join(repository, "node_modules/vitest/vitest.mjs");
  const tested = runIn(join(project, "example"), process.execPath, tool, "run", "front");
  expect(tested).toMatchObject({ status: 0 });
  expect(tested.stdout).toMatch(/Tests +1 passed/);
});

test("the command of the package replays a recording until it is interrupted", async () => {
  put(
    "record.mjs",
    `import { startServer } from "@orch/test-server";
const server = await startServer({ flags: { record: "changes.jsonl" }, controllers: false });
await server.applyManifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "menu" }, data: { soup: "leek" } });
await server.stop();
`,
  );
  expect(run(process.execPath, "record.mjs")).toMatchObject({ stderr: "", status: 0 });
  const command = join(project, "node_modules/.bin/test-server");
  const replay = spawn(command, ["replay", "changes.jsonl"], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const path = await new Promise<string>((resolve) => {
    let text = "";
    replay.stdout.on("data", (part: Buffer) => {
      text += part.toString();
      const [, found] = /KUBECONFIG=(.*)\n/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  put(
    "look.mjs",
    `import { Client, loadConnection } from "@orch/test-server/client";
const client = new Client({ connection: loadConnection({ path: process.argv[2] }), program: "look", vocabulary: "kubernetes" });
console.log((await client.getJson("/api/v1/namespaces/default/configmaps/menu")).data.soup);
client.close();
`,
  );
  expect(run(process.execPath, "look.mjs", path)).toMatchObject({ stdout: "leek\n", stderr: "" });
  const ended = once(replay, "exit");
  replay.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(existsSync(path)).toBe(false);
  expect(run(command, "replay", "none.jsonl")).toMatchObject({ status: 1, stdout: "" });
});

test("node:test and both module systems start servers, and nothing stays open after the stop", () => {
  put(
    "node/one.test.mjs",
    `import assert from "node:assert";
import { test } from "node:test";
import { startServer } from "@orch/test-server";
test("a server", async () => {
  const server = await startServer();
  assert.equal(await server.client.getText("/readyz"), "ok");
  await server.stop();
});
`,
  );
  const tested = run(process.execPath, "--test", "node/");
  expect(tested).toMatchObject({ status: 0 });
  expect(tested.stdout).toContain("# pass 1");
  put(
    "ends.cjs",
    `const { startServer } = require("@orch/test-server");
(async () => {
  for (let round = 0; round < 2; round += 1) {
    const servers = await Promise.all([startServer(), startServer({ controllers: false })]);
    for (const server of servers) await server.stop();
  }
  process.once("beforeExit", () => console.log("nothing is open"));
})();
`,
  );
  expect(run(process.execPath, "ends.cjs")).toMatchObject({ stdout: "nothing is open\n", stderr: "", status: 0 });
});

test("the compiled code is kept for later processes, and not needed", () => {
  const start = 'require("@orch/test-server").startServer({ controllers: false }).then((server) => server.stop())';
  const kept = () => readdirSync(installed).filter((name) => name.startsWith("code-"));
  for (const name of kept()) rmSync(join(installed, name));
  expect(run(process.execPath, "-e", start)).toMatchObject({ stdout: "", stderr: "", status: 0 });
  expect(kept()).toHaveLength(1);
  const [name = ""] = kept();
  writeFileSync(join(installed, name), "damaged");
  expect(run(process.execPath, "-e", start)).toMatchObject({ stdout: "", stderr: "", status: 0 });
});
