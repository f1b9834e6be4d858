// The first output of a server: text for a terminal, log lines for a pipe.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort, freePorts } from "./harness/free-port";
import { type Program, repository, tool, useWorkplace } from "./harness/processes";

const STANDALONE = join(repository, "packages/standalone/dist/main.js");
const CLUSTER = join(repository, "scripts/cluster.mjs");
const LAST_SAID = "starting the controllers";

const workplace = useWorkplace();

interface Started {
  readonly program: Program;
  /** Working directory with the server's files. */
  readonly folder: string;
  readonly url: string;
  readonly said: string;
  /** Lines that are not empty. */
  readonly lines: readonly string[];
}

/** Starts a program in a directory of its own and waits for its complete initial output. */
async function start(name: string, where: "terminal" | "pipe", flags: readonly string[] = []): Promise<Started> {
  const folder = workplace.folder();
  const port = await freePort();
  const server = [`--secure-port=${port}`, "--store=memory"];
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

test("on a terminal they are a person's: the address, the file, the console's link, what to try", async () => {
  const started = await start("terminal", "terminal");
  const { url } = started;
  const { lines } = started;
  expect(lines[0]).toBe(`Serving on ${url}`);
  expect(lines[1]).toContain(".orch/admin.kubeconfig");
  expect(lines[2]).toContain(`${url}/ui#token=${tokenIn(started)}`);
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
      { level: "info", message: "listening", address: "127.0.0.1" },
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

test("in the vocabulary of Kubernetes they show commands of its client", async () => {
  const started = await start("kubernetes", "pipe", ["--vocabulary=kubernetes"]);
  const said = started.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const tries = said.find(({ message }) => message === "ready")?.["try"] as readonly string[];
  expect(tries[0]).toBe("kubectl --kubeconfig=.orch/admin.kubeconfig get namespaces");
  for (const command of tries.filter((each) => !each.endsWith("--watch"))) {
    const { stdout } = await promisify(execFile)("bash", ["-c", command.replace("kubectl", tool("kubectl"))], {
      cwd: started.folder,
      env: { HOME: started.folder, PATH: process.env["PATH"] ?? "" },
    });
    expect(stdout).not.toBe("");
  }
  await started.program.kill();
}, 60_000);

test("without an explorer's token there is no link and no file", async () => {
  const started = await start("without-token", "terminal", ["--explorer-token=false"]);
  expect(started.lines[0]).toBe(`Serving on ${started.url}`);
  expect(started.said).not.toMatch(/token=|explorer/);
  expect(() => tokenIn(started)).toThrow("ENOENT");
  await started.program.kill();
}, 60_000);

describe("the controller manager's options", () => {
  test("the controller manager's flags are accepted beside the server's and select the controllers", async () => {
    const flags = ["--controllers=namespace,csrsigning", "--cluster-signing-duration=1h", "--kube-api-qps=50"];
    const started = await start("duties", "pipe", [...flags, "--leader-elect=false", "--kubeconfig=/nowhere"]);
    const said = started.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(said.find(({ message }) => message === LAST_SAID)).toMatchObject({ duties: ["namespace", "csrsigning"] });
    const warnings = said.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warnings).toEqual([expect.stringContaining("--kubeconfig has no effect here")]);
    await started.program.kill();
  }, 60_000);

  test("that are wrong end the start, all of them told at once, and so does what neither program knows", async () => {
    const flags = ["--controllers=nonsense", "--secure-port=1", "--store=etcd"];
    expect(await refusedStart(flags)).toEqual([
      expect.stringContaining("--controllers: unknown controllers nonsense"),
      "error: --store=etcd requires --etcd-servers",
    ]);
    expect(await refusedStart(["--unheard-of"])).toEqual(["error: unknown flag: --unheard-of; --help lists all flags"]);
  }, 60_000);

  test("are in --help", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [STANDALONE, "--help"]);
    expect(stdout).toContain("--cluster-signing-duration");
    expect(stdout).toContain("--etcd-servers");
    expect(stdout.split("\n").filter((line) => line.length > 110)).toEqual([]);
  }, 60_000);

  test("are those of a program that --version names", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [STANDALONE, "--version"]);
    expect(stdout).toMatch(/^orch-standalone v\d/);
  }, 60_000);
});

test("a port that is taken ends the start with the option, the address and what helps, told once", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const said = await refusedStart(["--store=memory", `--secure-port=${port}`]);
  expect(said).toEqual([
    `error: --secure-port: ${port} of 127.0.0.1 is in use: stop the program that listens there, or choose another port`,
  ]);
  holder.close();
}, 60_000);

test("a store of the other vocabulary ends the start with both names and what helps, told once", async () => {
  const flags = [`--data-dir=${workplace.folder()}`, `--secure-port=${await freePort()}`];
  const first = await start("other-vocabulary", "pipe", ["--vocabulary=kubernetes", "--store=embedded", ...flags]);
  await first.program.kill();
  const said = await refusedStart([...flags]);
  expect(said.filter((line) => !line.includes('"listening"'))).toEqual([
    expect.stringMatching(/^error: --vocabulary: "orch": .*start with --vocabulary=kubernetes, or on another store/),
  ]);
}, 60_000);

test("a data folder that cannot be made ends the start with the option and the reason", async () => {
  const said = await refusedStart(["--data-dir=/proc/x"]);
  expect(said).toEqual([expect.stringMatching(/^error: --(data-dir|cert-dir): ENOENT.*\/proc\/x/)]);
}, 60_000);

test("a fleet that finds one of its ports taken ends with the reason, and starts nothing", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const folder = workplace.folder();
  const topology = join(folder, "topology.json");
  const ports = await freePorts(4);
  const [clientPort, peerPort, serverPort, managerPort] = ports as [number, number, number, number];
  writeFileSync(
    topology,
    JSON.stringify({
      etcd: [{ name: "etcd-1", clientPort, peerPort }],
      apiServers: [{ name: "apiserver-1", port: serverPort }],
      controllerManagers: [{ name: "controller-manager-1", port: managerPort }],
      loadBalancer: { name: "loadbalancer", port },
    }),
  );
  const said = await refusedStart([`--topology=${topology}`, `--directory=${folder}`], CLUSTER);
  expect(said).toEqual([
    expect.stringMatching(
      `^loadbalancer cannot listen at 127\\.0\\.0\\.1:${port} \\(loadBalancer\\.port\\): .+ listens there$`,
    ),
    expect.stringContaining("--topology FILE"),
  ]);
  expect(readdirSync(join(folder, "logs"))).toEqual([]);
  holder.close();
}, 60_000);

/** @returns the output of a start that fails */
async function refusedStart(flags: readonly string[], program = STANDALONE): Promise<readonly string[]> {
  const ended = await promisify(execFile)(process.execPath, [program, ...flags], { cwd: workplace.folder() }).then(
    () => undefined,
    (error: { readonly code: number; readonly stderr: string }) => error,
  );
  expect(ended?.code).toBe(1);
  return (ended?.stderr ?? "").split("\n").filter(Boolean);
}
