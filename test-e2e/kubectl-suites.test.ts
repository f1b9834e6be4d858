// The script suites of kubectl (test/cmd/*.sh in Kubernetes), with orch in place of kubectl for the commands that both
// have. Opt-in: they need a checkout of Kubernetes 1.36, kubectl 1.36, bash, curl and jq.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { type Program, repository, useWorkplace } from "./harness/processes";

const KUBERNETES = process.env["ORCH_KUBECTL_SUITES"];
const KUBECTL = process.env["TEST_KUBECTL"];
/** The form of orch that looks for the configuration of kubectl first. */
const PLUGIN = join(repository, "packages/cli/bin/kubectl-orch.js");
const RUNNER = join(repository, "test-e2e/harness/kubectl-suites/run.sh");
const SUITES_TIMEOUT_MS = 3_600_000;
const START_TIMEOUT_MS = 60_000;

/** Functions that pass with orch. */
const FUNCTIONS = readFileSync(join(repository, "test-e2e/harness/kubectl-suites/functions.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const workplace = useWorkplace();

/** @returns the reason why the suites cannot run */
function lacking(): string | undefined {
  if (KUBERNETES === undefined) return "ORCH_KUBECTL_SUITES names no checkout of Kubernetes";
  if (!existsSync(join(KUBERNETES, "test/cmd/legacy-script.sh")))
    return `there are no suites in ${KUBERNETES}/test/cmd`;
  return KUBECTL === undefined ? "TEST_KUBECTL names no kubectl, which prints with Go templates" : undefined;
}

/** Starts a server with the flags that hack/make-rules/test-cmd.sh passes. @returns it and its port */
async function startServer(kubernetes: string): Promise<{ readonly server: Program; readonly port: number }> {
  const port = await freePort();
  const data = join(kubernetes, "hack/testdata");
  const server = workplace.start({
    name: "standalone",
    program: process.execPath,
    args: [
      join(repository, "packages/standalone/dist/main.js"),
      ...["--vocabulary=kubernetes", "--emulated-release=1.36", "--store=memory", `--data-dir=${workplace.folder()}`],
      ...["--bind-address=127.0.0.1", `--secure-port=${port}`, "--authorization-mode=RBAC,AlwaysAllow"],
      ...[`--token-auth-file=${data}/auth-tokens.csv`, `--client-ca-file=${data}/ca/ca.crt`],
      `--cluster-signing-cert-file=${data}/ca/ca.crt`,
      `--cluster-signing-key-file=${data}/ca/ca.key`,
      "--service-cluster-ip-range=10.0.0.0/24",
      "--enable-admission-plugins=LimitRanger,ResourceQuota",
      `--disable-admission-plugins=${DISABLED.join(",")}`,
    ],
  });
  await eventually("the server answers", () => isUp(port), { timeoutMs: START_TIMEOUT_MS });
  return { server, port };
}

const DISABLED = [
  ...["ServiceAccount", "DefaultStorageClass", "DefaultTolerationSeconds", "StorageObjectInUseProtection"],
  ...["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"],
];

/** Any answer will do: the health checks of this server ask for credentials. */
function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(
      { host: "127.0.0.1", port, path: "/readyz", rejectUnauthorized: false, agent: false },
      (answer) => {
        answer.resume();
        resolve(true);
      },
    );
    sent.once("error", () => resolve(false));
    sent.end();
  });
}

/** Runs functions on a new server, up to the first that fails. @returns the lines of results */
async function runUntilFailure(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const { server, port } = await startServer(KUBERNETES ?? "");
  const env = { ...process.env, ORCH: PLUGIN, KUBECTL };
  const child = spawn(RUNNER, [KUBERNETES ?? "", folder, String(port), ...names], { env, stdio: "ignore" });
  await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  await server.stop();
  return readFileSync(join(folder, "results.txt"), "utf8").trim().split("\n");
}

/** Runs all functions. @returns those that fail, with the ends of their logs */
async function failures(): Promise<readonly string[]> {
  const folder = workplace.folder();
  let results: readonly string[] = [];
  while (results.length < FUNCTIONS.length) {
    const before = results.length;
    results = await runUntilFailure(folder, FUNCTIONS.slice(before));
    if (results.length === before) throw new Error(`the runner ended before ${FUNCTIONS[before]}`);
  }
  return results
    .filter((line) => line.split(" ")[1] !== "0")
    .map((line) => `${line}\n${readFileSync(join(folder, `${line.split(" ")[0]}.log`), "utf8").slice(-2000)}`);
}

describe("the runner of kubectl's suites", () => {
  test("lists each function once, in the order in which they run", () => {
    expect(FUNCTIONS.length).toBeGreaterThan(60);
    expect(new Set(FUNCTIONS).size).toBe(FUNCTIONS.length);
  });

  const why = lacking();
  if (why !== undefined) {
    process.stderr.write(`skipped: the script suites of kubectl: ${why}\n`);
  } else {
    test(
      "kubectl's script suites pass with orch",
      async () => {
        expect(await failures()).toEqual([]);
      },
      SUITES_TIMEOUT_MS,
    );
  }
});
