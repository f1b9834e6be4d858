// The programs on every supported version of Node.js: servers, worker threads, the embedded store, the command and the
// test server.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../harness/free-port";
import { ORCH_PROGRAM } from "../harness/orch";
import { repository } from "../harness/processes";

const TIMEOUT_MS = 180_000;
const CAN_RUN = process.platform === "linux" && process.arch === "x64";
if (!CAN_RUN) console.warn("skipped: the run times are for Linux on x64");
const programs = CAN_RUN
  ? execFileSync(process.execPath, [join(repository, "scripts/dist/run-times.mjs")], { encoding: "utf8" })
      .trim()
      .split("\n")
  : [];
const versions = [process.execPath, ...programs].map((node): [string, string] => [
  execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
  node,
]);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "orch-versions-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: snacks.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: snacks, kind: Snack }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { count: { type: integer, minimum: 1 } } } }
          x-kubernetes-validations: [{ rule: "!has(self.spec) || self.spec.count < 10" }]
`;
const SNACK = "apiVersion: example.com/v1\nkind: Snack\nmetadata: { name: one }\nspec: { count: 3 }\n";
const POLICY = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n";
/** More values than a write of the main thread may have: a worker thread decodes the object. */
const LARGE = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "large" },
  data: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, "value"])),
});

const IN_PROCESS = `
  const { startServer } = require(${JSON.stringify(join(repository, "packages/test-server/dist/index.js"))});
  (async () => {
    const server = await startServer();
    console.log(typeof server.url);
    await server.stop();
  })();`;

describe.each(versions)("on Node.js %s", (_version, node) => {
  function run(words: readonly string[], input = "") {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", KUBECONFIG: join(home, "config") };
    return spawnSync(node, words, { cwd: home, env, input, encoding: "utf8", timeout: TIMEOUT_MS });
  }
  const orch = (...words: readonly string[]) => asked(words);
  function asked(words: readonly string[], input = "") {
    const { status, stdout, stderr } = run([ORCH_PROGRAM, ...words], input);
    expect(stderr).not.toMatch(/Warning/);
    expect({ words, status, stderr: status === 0 ? "" : stderr }).toEqual({ words, status: 0, stderr: "" });
    return stdout;
  }

  test(
    "a server keeps objects in the embedded store, and serves the command",
    async () => {
      const port = await freePort();
      writeFileSync(join(home, "policy.yaml"), POLICY);
      const audit = [`--audit-log-path=${join(home, "audit.log")}`, `--audit-policy-file=${join(home, "policy.yaml")}`];
      const up = ["up", "-d", "--kubernetes", `--data-dir=${join(home, "data")}`, `--port=${port}`, ...audit];
      orch(...up);
      try {
        orch("create", "configmap", "greeting", "--from-literal=text=hello");
        asked(["apply", "-f", "-"], DEFINITION);
        orch("wait", "--for=condition=Established", "crd/snacks.example.com", "--timeout=30s");
        asked(["apply", "--server-side", "-f", "-"], SNACK);
        expect(orch("get", "snacks", "-o", "name")).toBe("snack.example.com/one\n");
        asked(["create", "-f", "-"], LARGE);
        expect(orch("get", "configmaps", "-o", "name")).toContain("configmap/greeting\nconfigmap/");
        const watch = run([ORCH_PROGRAM, "get", "configmap", "greeting", "--watch", "--request-timeout=2s"]);
        expect(watch.stdout).toContain("greeting");
        orch("down", `--data-dir=${join(home, "data")}`);
        orch(...up);
        expect(orch("get", "configmap", "greeting", "-o", "jsonpath={.data.text}")).toBe("hello");
        expect(spawnSync("grep", ["-c", '"verb":"create"', join(home, "audit.log")]).status).toBe(0);
      } finally {
        run([ORCH_PROGRAM, "down", `--data-dir=${join(home, "data")}`]);
      }
    },
    TIMEOUT_MS,
  );

  test(
    "a test server starts and stops inside the process, without warnings",
    () => {
      const { status, stdout, stderr } = run(["-e", IN_PROCESS]);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "string\n", stderr: "" });
    },
    TIMEOUT_MS,
  );
});
