// `orch up` and `orch down`, and the programs of servers as commands: a server in the background and in the foreground, its
// context in the client configuration, workers, and ends of every kind.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { Orch } from "./harness/orch";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const places: { readonly orch: Orch; readonly dataDir: string }[] = [];

/** Returns the command in a home of its own. */
const atHome = (home = workplace.folder()): Orch => new Orch({ home });

interface Up {
  readonly orch: Orch;
  readonly port: number;
  /** Data directory, for `orch down`. */
  readonly dataDir: string;
}

/** Runs `orch up -d`. */
async function up(orch: Orch, flags: readonly string[], dataDir = ".orch"): Promise<Up & { readonly text: string }> {
  const port = await freePort();
  places.push({ orch, dataDir });
  const text = await orch.print(["up", "-d", `--port=${port}`, `--data-dir=${dataDir}`, ...flags]);
  return { orch, port, dataDir, text };
}

/** Returns the URL of the server that answers a command. */
async function reached(orch: Orch, ...options: readonly string[]): Promise<string | undefined> {
  const { stderr } = await orch.run(["get", "--raw=/readyz", "-v=6", ...options]);
  return /url="(https:[^"]+)\/readyz" status="200/.exec(stderr)?.[1];
}

const recordOf = ({ orch, dataDir }: Pick<Up, "orch" | "dataDir">): { readonly pid: number } =>
  JSON.parse(readFileSync(join(orch.of.home, dataDir, "up.json"), "utf8"));

afterEach(async () => {
  for (const { orch, dataDir } of places.splice(0)) await orch.run(["down", `--data-dir=${dataDir}`]);
});

describe.each([
  ["orch", [], ".orch/config"],
  ["kubernetes", ["--kubernetes"], ".kube/config"],
] as const)("a server of the vocabulary %s", (vocabulary, flags, file) => {
  test("runs in the background until orch down, and commands reach it by the context that it adds", async () => {
    const orch = atHome();
    const made = await up(orch, [...flags, "--memory"]);
    const path = join(orch.of.home, file);
    const name = vocabulary === "orch" ? "orch" : "orch-kubernetes";
    expect(made.text).toContain(
      `Serving on https://127.0.0.1:${made.port}\nContext "${name}" of the client configuration: ${path}\n`,
    );
    expect(made.text).toMatch(/\nTry:\n {2}orch get namespaces\n/);
    expect(await reached(orch)).toBe(`https://127.0.0.1:${made.port}`);
    const again = await orch.run(["up", "-d", `--data-dir=${made.dataDir}`, ...flags]);
    expect([again.code, again.stdout.split("\n")[0]]).toEqual([
      0,
      `A server runs already in .orch (process ${recordOf(made).pid}).`,
    ]);
    const inFront = await orch.run(["up", `--data-dir=${made.dataDir}`, ...flags]);
    expect([inFront.code, inFront.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: a server runs already in \.orch \(process \d+\): stop it with orch down/),
    ]);
    expect(await orch.print(["down", `--data-dir=${made.dataDir}`])).toMatch(
      /^Stopped the server in \.orch \(process \d+\)\.\n$/,
    );
    expect((await orch.run(["version"])).stderr).toMatch(/was refused/);
    expect(await orch.print(["down", `--data-dir=${made.dataDir}`])).toBe("No server of orch up runs in .orch.\n");
  });
});

test("commands reach the server that was started last, also at the address of an earlier one", async () => {
  const orch = atHome();
  const first = await up(orch, ["--memory"]);
  await orch.print(["down", `--data-dir=${first.dataDir}`]);
  places.push({ orch, dataDir: "second" });
  await orch.print(["up", "-d", "--memory", "--kubernetes", `--port=${first.port}`, "--data-dir=second"]);
  expect(await orch.print(["get", "namespaces", "-o", "name"])).toContain("namespace/kube-system\n");
  expect(existsSync(join(orch.of.home, ".kube/config"))).toBe(true);
});

test("objects of the embedded store are there again after kill -9, and the record of the killed process is no obstacle", async () => {
  const orch = atHome();
  const first = await up(orch, []);
  const { pid } = recordOf(first);
  process.kill(pid, "SIGKILL");
  expect(await orch.print(["down"])).toBe("No server of orch up runs in .orch.\n");
  const second = await up(orch, []);
  expect(recordOf(second).pid).not.toBe(pid);
  expect(readFileSync(join(orch.of.home, ".orch/config"), "utf8").match(/name: orch$/gm)).toHaveLength(3);
  expect(await reached(orch)).toBe(`https://127.0.0.1:${second.port}`);
});

test("orch up killed while it waits leaves a server that orch down finds", async () => {
  const orch = atHome();
  const port = await freePort();
  places.push({ orch, dataDir: ".orch" });
  const child = orch.start(["up", "-d", "--memory", `--port=${port}`]);
  const isClaimed = async () => existsSync(join(orch.of.home, ".orch/up.json"));
  await eventually("the server has claimed its directory", isClaimed, { pauseMs: 1 });
  child.kill("SIGKILL");
  expect(await orch.print(["down"])).toMatch(/^Stopped the server in \.orch/);
});

test("a current context of another origin stays, and neither it nor entries of the same name are changed", async () => {
  const orch = atHome();
  const path = join(orch.of.home, "mine");
  const entry = (name: string) => `{name: ${name}, cluster: {server: "https://${name}.example"}}`;
  writeFileSync(
    path,
    `clusters: [${entry("prod")}, ${entry("orch")}]\ncontexts: [{name: prod, context: {cluster: prod}}]\ncurrent-context: prod\n`,
  );
  const { text, port } = await up(orch, ["--memory", `--kubeconfig=${path}`]);
  expect(text).toContain(
    `Context "orch-${port}" of the client configuration: ${path}\nThe current context of that file stays "prod".\n`,
  );
  expect(text).toContain(`\n  orch --kubeconfig=${path} --context=orch-${port} get namespaces\n`);
  const written = readFileSync(path, "utf8");
  expect(written).toContain("current-context: prod\n");
  expect(written).toMatch(/server: "?https:\/\/orch\.example/);
  expect(await reached(orch, `--kubeconfig=${path}`, `--context=orch-${port}`)).toBe(`https://127.0.0.1:${port}`);
});

test("a server that cannot start ends the command with its reason and its exit code", async () => {
  const orch = atHome();
  const { port } = await up(orch, ["--memory"]);
  const taken = await orch.run(["up", "-d", "--memory", `--port=${port}`, "--data-dir=other"]);
  expect([taken.code, taken.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: the server ended: --secure-port: \d+ of 127\.0\.0\.1 is in use: [^\n]* \(log: other\/up\.log\)\n$/,
    ),
  ]);
  const inFront = await orch.run(["up", "--memory", `--port=${port}`, "--data-dir=other"]);
  expect([inFront.code, inFront.stderr]).toEqual([1, expect.stringMatching(/is in use/)]);
  const unknown = await orch.run(["up", "-d", "--colour", "--data-dir=other"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: the server ended: unknown flag: --colour/),
  ]);
  const stray = await orch.run(["up", "please"]);
  expect([stray.code, stray.stderr]).toEqual([1, 'error: unexpected argument "please": orch up takes only options\n']);
  expect(existsSync(join(orch.of.home, "other/up.json"))).toBe(false);
});

test("workers on etcd are supervised, and the first one adds the context", async () => {
  const etcd = await startEtcd(workplace);
  await etcd.untilHealthy();
  const orch = atHome();
  const made = await up(orch, [`--etcd-servers=${etcd.endpoints}`, "--workers=2"]);
  const { pid } = recordOf(made);
  const workers = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  await eventually("two workers run", async () => workers().length === 2);
  // A worker that has just started may not be ready.
  await eventually("commands reach a worker", async () => (await reached(orch)) === `https://127.0.0.1:${made.port}`);
  expect(await orch.print(["down"])).toContain(`(process ${pid})`);

  const flags = [
    `--secure-port=${await freePort()}`,
    `--etcd-servers=${etcd.endpoints}`,
    "--workers=2",
    "--logging-format=text",
  ];
  const child = orch.start(["apiserver", ...flags, "--data-dir=alone"]);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const readies = async () => existsSync(join(orch.of.home, "alone/admin.kubeconfig"));
  await eventually("a worker of orch apiserver is ready", readies);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("programs of servers keep their options, texts and exit codes", async () => {
  const orch = atHome();
  expect(await orch.print(["apiserver", "--help"])).toMatch(/^Serves the resource API .*[\s\S]*--etcd-servers/);
  expect(await orch.print(["controller-manager", "--version"])).toMatch(/^orch-controller-manager v\d/);
  const wrong = await orch.run(["controller-manager", "--colour"]);
  expect([wrong.code, wrong.stderr]).toEqual([1, "error: unknown flag: --colour; --help lists all flags\n"]);
  expect((await orch.run(["apiserver", "recover", "--data-dir=none"])).code).toBe(30);
});

test("make run and orch up start the same server", () => {
  const flags = /standalone\/dist\/main\.js (.*) \$\(ARGS\)/.exec(
    readFileSync(join(repository, "Makefile"), "utf8"),
  )?.[1];
  const source = readFileSync(join(repository, "packages/cli/src/commands/server/up/default-flags.ts"), "utf8");
  const own = [...(/DEFAULT_FLAGS = \[([^\]]*)\]/.exec(source)?.[1] ?? "").matchAll(/"(.*?)"/g)].map(
    ([, flag]) => flag,
  );
  expect(own.join(" ")).toBe(flags);
});
