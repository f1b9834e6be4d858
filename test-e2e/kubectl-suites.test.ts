// The script suites of kubectl (test/cmd/*.sh in Kubernetes, and test/cmd/testdata/*.txtar where a checkout has them),
// with orch in place of kubectl for the commands that both have. Opt-in: they need a checkout of Kubernetes 1.36, kubectl
// 1.36, bash, curl and jq.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { failureOfScript, wordsOf } from "./harness/kubectl-suites/txtar";
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
async function startServer(
  kubernetes: string,
  { flags = [], enabled }: { readonly flags?: readonly string[]; readonly enabled?: string } = {},
): Promise<{ readonly server: Program; readonly port: number }> {
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
      `--disable-admission-plugins=${DISABLED.filter((plugin) => plugin !== enabled).join(",")}`,
      ...flags,
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

/**
 * Scripts that pass with kubectl 1.36 as well. `auth_whoami` expects another user, and `diff` expects an exit code that
 * kubectl 1.36 does not return for a program that finds no difference.
 */
const SCRIPTS = ["apply", "authorization", "batch", "certificate", "create", "delete"];

/** Images that scripts name. Any will do: nothing runs them. */
const IMAGES = { IMAGE_PERL: "registry.k8s.io/perl", IMAGE_NGINX: "registry.k8s.io/nginx:1.7.9" };

/** Runs a script with a server, a namespace and a client configuration of its own. @returns the step that fails */
async function failureOf(kubernetes: string, name: string): Promise<string | undefined> {
  // Scripts create the service accounts that they need, and a deleted volume claim stays for lack of a controller.
  const { server, port } = await startServer(kubernetes, {
    flags: ["--controllers=*,-serviceaccount,-pvc-protection"],
    enabled: "StorageObjectInUseProtection",
  });
  const home = workplace.folder();
  const work = join(home, "work");
  mkdirSync(work);
  // The programs of PATH are the stand-in, which asks for the real one by KUBECTL.
  mkdirSync(join(home, "bin"));
  const kubectl = join(home, "bin/kubectl");
  symlinkSync(join(repository, "test-e2e/harness/kubectl-suites/kubectl"), kubectl);
  writeFileSync(
    join(home, "commands.txt"),
    commandsOf(execFileSync(process.execPath, [PLUGIN, "--help"], { encoding: "utf8" })),
  );
  const environment = {
    ...process.env,
    ...IMAGES,
    PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    KUBECONFIG: join(home, "config"),
    ORCH: PLUGIN,
    ORCH_COMMANDS: process.env["ORCH_COMMANDS"] ?? join(home, "commands.txt"),
    ORCH_CALLS: join(home, "calls.txt"),
    KUBECTL,
  };
  const run = (words: string) =>
    execFileSync(KUBECTL ?? "", words.split(" "), { env: environment as NodeJS.ProcessEnv, stdio: "ignore" });
  run(`config set-cluster local --insecure-skip-tls-verify --server=https://127.0.0.1:${port}`);
  run("config set-credentials admin --token=admin-token");
  run("config set-context test --user=admin --cluster=local --namespace=scripts");
  run("config use-context test");
  run("create namespace scripts");
  const text = readFileSync(join(kubernetes, `test/cmd/testdata/${name}.txtar`), "utf8");
  const why = await failureOfScript(text, { kubernetes, work, kubectl, environment });
  await server.stop();
  return why === undefined ? undefined : `${name}: ${why}`;
}

/** Returns the names of the commands in the help of orch, one on a line. */
const commandsOf = (help: string): string =>
  [...help.matchAll(/^ {2}([a-z][a-z-]*) +[a-z]/gm)].map(([, name]) => `${name}\n`).join("");

/** Returns the scripts that the checkout has. */
function scriptsIn(kubernetes: string): readonly string[] {
  const folder = join(kubernetes, "test/cmd/testdata");
  const found = existsSync(folder) ? readdirSync(folder) : [];
  return SCRIPTS.filter((name) => found.includes(`${name}.txtar`));
}

describe("the runner of kubectl's suites", () => {
  test("lists each function once, in the order in which they run", () => {
    expect(FUNCTIONS.length).toBeGreaterThan(60);
    expect(new Set(FUNCTIONS).size).toBe(FUNCTIONS.length);
  });

  test("reads scripts as testscript does", async () => {
    expect(wordsOf("kubectl get 'a ''b' -o x='{.c}'$D # rest", { D: "e" })).toEqual([
      "kubectl",
      "get",
      "a 'b",
      "-o",
      "x={.c}e",
    ]);
    const work = workplace.folder();
    const place = { kubernetes: work, work, kubectl: "/bin/echo", environment: { PATH: process.env["PATH"] } };
    const passing = "# comment\nkubectl one\nstdout '^one$'\n! stdout two\ncp stdout f\ncmp f g\n-- g --\none\n";
    expect(await failureOfScript(passing, place)).toBeUndefined();
    for (const step of ["! kubectl one", "stdout two", "! stdout one", "cmp f h", "other"]) {
      const text = `kubectl one\ncp stdout f\n${step}\n-- h --\ntwo\n`;
      expect(await failureOfScript(text, place)).toContain(`line 3: ${step}\n`);
    }
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

    for (const name of scriptsIn(KUBERNETES ?? "")) {
      test(
        `the script ${name} passes with orch`,
        async () => {
          expect(await failureOf(KUBERNETES ?? "", name)).toBeUndefined();
        },
        SUITES_TIMEOUT_MS,
      );
    }
  }
});
