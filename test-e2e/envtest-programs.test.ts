// The programs that envtest of controller-runtime and similar libraries start in place of kube-apiserver and etcd, from
// the tarball of the package, with the options that envtest passes.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { Authority, type Credentials } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { freePorts } from "./harness/free-port";
import { ApiClient } from "./harness/https-client";
import { type Program, useWorkplace } from "./harness/processes";
import { testServerTarball } from "./harness/test-server-tarball";

/** A checkout of controller-runtime, with a compiled test program in each package to run: `pkg/client/client.test`. */
const SUITES_FOLDER = process.env["ORCH_CONTROLLER_RUNTIME"];
const SUITES = ["client", "cache", "manager", "envtest", "controller", "builder", "webhook"] as const;
const SUITE_TIMEOUT_MS = 1_800_000;
const POLL_MS = 100;
const TIMEOUT_MS = 240_000;
const WAIT = { timeoutMs: TIMEOUT_MS / 2 };

jest.setTimeout(TIMEOUT_MS);
const workplace = useWorkplace();
let assets: string;

beforeAll(() => {
  const folder = workplace.folder();
  execFileSync("tar", ["-xzf", testServerTarball(), "-C", folder]);
  const { bin } = JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8"));
  const command = join(folder, "package", bin["test-server"]);
  assets = execFileSync(command, ["assets"], { encoding: "utf8" }).trim();
}, TIMEOUT_MS);

const run = (name: string, ...words: readonly string[]) =>
  spawnSync(join(assets, name), words, { encoding: "utf8", env: { ...process.env, ORCH_ENVTEST_RELEASE: "" } });

describe("the programs without a server", () => {
  test.each([
    ["kube-apiserver", /^Kubernetes v1\.\d+\.\d+/],
    ["etcd", /^etcd Version: 3\.\d+\.\d+\n/],
  ])("%s prints its version", (name, text) => {
    expect(run(name, "--version")).toMatchObject({ stdout: expect.stringMatching(text), stderr: "", status: 0 });
  });

  // envtest decides by these lists which options it passes.
  test.each([
    ["kube-apiserver", ["etcd-servers", "client-ca-file", "kubelet-timeout"], ["insecure-port"]],
    ["etcd", ["unsafe-no-fsync", "data-dir"], []],
  ])("%s lists its options", (name, present, absent) => {
    const { stdout, status } = run(name, "--help");
    expect(status).toBe(0);
    for (const option of present) expect(stdout).toMatch(new RegExp(`^\\s*--${option}\\b`, "m"));
    for (const option of absent) expect(stdout).not.toMatch(new RegExp(`^\\s*--${option}\\b`, "m"));
  });

  test("kubectl is the one on PATH, and its absence is told", () => {
    const of = (PATH: string) => spawnSync(join(assets, "kubectl"), ["version"], { encoding: "utf8", env: { PATH } });
    const folder = workplace.folder();
    copyFileSync("/bin/echo", join(folder, "kubectl"));
    const system = "/usr/bin:/bin";
    expect(of(`${assets}:${folder}:${system}`)).toMatchObject({ stdout: "version\n", status: 0 });
    const none = workplace.folder();
    for (const tool of ["dirname", "readlink"]) copyFileSync(`/usr/bin/${tool}`, join(none, tool));
    expect(of(`${assets}:${none}`)).toMatchObject({ stderr: expect.stringContaining("no kubectl"), status: 127 });
  });

  test("an unknown controller is refused before the start, with those that exist", () => {
    const env = { ...process.env, ORCH_ENVTEST_CONTROLLERS: "namespace,nonsense" };
    const { stderr, status } = spawnSync(join(assets, "kube-apiserver"), [], { encoding: "utf8", env });
    expect(stderr).toMatch(/^error: ORCH_ENVTEST_CONTROLLERS: unknown controllers nonsense; .*garbagecollector/);
    expect(status).toBe(1);
  });
});

interface ControlPlane {
  readonly etcd: Program;
  readonly apiServer: Program;
  readonly client: ApiClient;
  readonly certificates: string;
}

/** Starts both programs as envtest does: with a serving pair in a new folder, and an authority for clients. */
async function startControlPlane(env: Readonly<Record<string, string>> = {}): Promise<ControlPlane> {
  const [clientPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  const certificates = workplace.folder();
  const [serving, clients] = [new Authority(workplace), new Authority(workplace)];
  const pair = serving.issue("apiserver");
  copyFileSync(pair.cert, join(certificates, "apiserver.crt"));
  copyFileSync(pair.key, join(certificates, "apiserver.key"));
  const signer = clients.issue("sa-signer");
  const { cert, key } = clients.user("admin", ["system:masters"]);
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = workplace.start({
    ...{ name: `etcd-${port}`, program: join(assets, "etcd"), env },
    args: [
      ...[`--advertise-client-urls=${etcdUrl}`, `--data-dir=${workplace.folder()}`, `--listen-client-urls=${etcdUrl}`],
      ...[`--listen-peer-urls=http://127.0.0.1:${peerPort}`, "--unsafe-no-fsync=true"],
    ],
  });
  await eventually(
    "etcd is healthy",
    () =>
      fetch(`${etcdUrl}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    {
      pauseMs: POLL_MS,
    },
  );
  const apiServer = workplace.start({
    ...{ name: `kube-apiserver-${port}`, program: join(assets, "kube-apiserver"), env },
    args: [
      ...["--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1"],
      ...[
        `--cert-dir=${certificates}`,
        `--client-ca-file=${clients.caFile}`,
        "--disable-admission-plugins=ServiceAccount",
      ],
      ...[`--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, "--service-cluster-ip-range=10.0.0.0/24"],
      ...[`--service-account-issuer=https://127.0.0.1:${port}/`, `--service-account-key-file=${signer.cert}`],
      `--service-account-signing-key-file=${signer.key}`,
    ],
  });
  const url = `https://127.0.0.1:${port}`;
  await eventually("the server is healthy", () => isHealthy(`${url}/healthz`), { ...WAIT, pauseMs: POLL_MS });
  const credentials: Credentials = { ca: readFileSync(serving.caFile), ...(cert && { cert }), ...(key && { key }) };
  return { etcd, apiServer, client: new ApiClient(url, credentials), certificates };
}

/** Asks without credentials and without a check of the certificate, as envtest does. */
function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.once("error", () => resolve(false));
    sent.end();
  });
}

describe("a control plane of a test environment", () => {
  const NAMESPACES = "/api/v1/namespaces";
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ ORCH_ENVTEST_RELEASE: "1.34" });
  }, TIMEOUT_MS);
  afterAll(() => plane.client.close());

  const isGone = async (path: string) => (await plane.client.get(path)).status === 404;

  test("serves with the pair of --cert-dir, and writes nothing beside it", async () => {
    expect((await plane.client.get(`${NAMESPACES}/default`)).status).toBe(200);
    expect(existsSync(join(plane.certificates, "apiserver.crt"))).toBe(true);
    expect(existsSync(join(plane.certificates, "ca.crt"))).toBe(false);
  });

  test("serves the release of the environment", async () => {
    expect((await plane.client.get("/version")).object()).toMatchObject({ major: "1", minor: "34" });
  });

  test("answers /readyz and /livez to clients without credentials", async () => {
    for (const path of ["/readyz", "/livez"]) expect(await isHealthy(`${plane.client.url}${path}`)).toBe(true);
  });

  test("deletes a namespace with what is in it", async () => {
    const { client } = plane;
    expect((await client.post(NAMESPACES, { metadata: { name: "goes" } })).status).toBe(201);
    await client.post(`${NAMESPACES}/goes/configmaps`, { metadata: { name: "inside" } });
    expect((await client.delete(`${NAMESPACES}/goes`)).status).toBe(200);
    await eventually("the namespace is gone", () => isGone(`${NAMESPACES}/goes`), WAIT);
  });

  test("deletes objects whose owner is gone", async () => {
    const { client } = plane;
    const maps = `${NAMESPACES}/default/configmaps`;
    const { metadata } = (await client.post(maps, { metadata: { name: "owner" } })).object();
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid }];
    await client.post(maps, { metadata: { name: "owned", ownerReferences } });
    await client.delete(`${maps}/owner`);
    await eventually("the object is gone", () => isGone(`${maps}/owned`), WAIT);
  });

  test("leaves objects of workloads to the test", async () => {
    const { client } = plane;
    const labels = { app: "web" };
    const deployment = {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
      },
    };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const made = (await client.post(path, deployment)).object();
    // Another namespace comes and goes meanwhile, so that the controllers have had their turn.
    await client.post(NAMESPACES, { metadata: { name: "meanwhile" } });
    await client.delete(`${NAMESPACES}/meanwhile`);
    await eventually("the namespace is gone", () => isGone(`${NAMESPACES}/meanwhile`), WAIT);
    expect((await client.get(`${path}/web`)).object().metadata).toEqual(made.metadata);
  });

  test("warns of options of etcd, which have no effect", () => {
    expect(plane.apiServer.logTail).toMatch(/--etcd-servers has no effect here: .*in memory/);
  });

  test("ends with code 0 on SIGTERM", async () => {
    expect(await Promise.all([plane.apiServer.stop(), plane.etcd.stop()])).toEqual([0, 0]);
  });
});

test("ORCH_ENVTEST_CONTROLLERS=off leaves a namespace as it is; ORCH_ENVTEST_KUBECONFIG gets a kubeconfig", async () => {
  const kubeconfig = join(workplace.folder(), "kubeconfig");
  const { client } = await startControlPlane({
    ...{ ORCH_ENVTEST_CONTROLLERS: "off", ORCH_ENVTEST_KUBECONFIG: kubeconfig },
  });
  await client.post("/api/v1/namespaces", { metadata: { name: "stays" } });
  await client.delete("/api/v1/namespaces/stays");
  expect((await client.get("/api/v1/namespaces/stays")).object()).toMatchObject({ status: { phase: "Terminating" } });
  client.close();
  await eventually("the kubeconfig is written", async () => existsSync(kubeconfig));
  const { Client, loadConnection } = await import("@orch/client");
  const connection = loadConnection({ path: kubeconfig });
  const own = new Client({ connection, vocabulary: "kubernetes", program: "test" });
  expect(await own.getText("/readyz")).toBe("ok");
  own.close();
});

test("the programs end with the test that started them, and leave no file", async () => {
  const [clientPort = 0, port = 0] = await freePorts(2);
  const temporary = workplace.folder();
  const commands = [
    ["etcd", `--listen-client-urls=http://127.0.0.1:${clientPort}`],
    ["kube-apiserver", "--bind-address=127.0.0.1", `--secure-port=${port}`],
  ].map(([name = "", ...words]) => [join(assets, name), words]);
  const start = `for (const [program, words] of ${JSON.stringify(commands)})
    require("node:child_process").spawn(program, words, { stdio: "ignore" });`;
  const env = { ...process.env, TMPDIR: temporary };
  const parent = spawn(process.execPath, ["--eval", start], { env, stdio: "ignore" });
  await eventually("the server is healthy", () => isHealthy(`https://127.0.0.1:${port}/healthz`), {
    ...WAIT,
    pauseMs: POLL_MS,
  });
  expect(readdirSync(temporary)).toHaveLength(1);
  parent.kill("SIGKILL");
  await eventually("the folder of the server is gone", async () => readdirSync(temporary).length === 0, WAIT);
  const isFree = (one: number) =>
    new Promise<boolean>((resolve) => {
      const tried = createServer().once("error", () => resolve(false));
      tried.listen(one, "127.0.0.1", () => tried.close(() => resolve(true)));
    });
  for (const one of [clientPort, port]) await eventually("the port is free", () => isFree(one), WAIT);
});

const programOf = (folder: string, name: string): string => join(folder, "pkg", name, `${name}.test`);

/** @returns the reason why a suite cannot run */
function lacking(name: string): string | undefined {
  if (SUITES_FOLDER === undefined) return "ORCH_CONTROLLER_RUNTIME names no checkout of controller-runtime";
  const program = programOf(SUITES_FOLDER, name);
  return existsSync(program) ? undefined : `there is no test program ${program}`;
}

for (const name of SUITES) {
  const why = lacking(name);
  if (SUITES_FOLDER === undefined || why !== undefined) {
    process.stderr.write(`skipped: the suite pkg/${name} of controller-runtime: ${why}\n`);
    continue;
  }
  test(
    `the suite pkg/${name} of controller-runtime passes`,
    () => {
      const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
      const cwd = join(SUITES_FOLDER, "pkg", name);
      const ran = spawnSync(programOf(SUITES_FOLDER, name), ["-ginkgo.no-color"], {
        cwd,
        env,
        encoding: "utf8",
      });
      expect({ status: ran.status, end: ran.stdout.slice(-5000) }).toMatchObject({ status: 0 });
    },
    SUITE_TIMEOUT_MS,
  );
}
