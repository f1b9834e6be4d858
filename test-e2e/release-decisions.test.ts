// scripts/check-release-rules.mjs: the decisions of Kubernetes 1.36 on more than 3,000 objects, against a server of that
// release.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { configurationFor, configurationText } from "@orch/client";
import { startApiServer } from "./harness/api-server";
import { repository, useWorkplace } from "./harness/processes";

const SCRIPT = join(repository, "scripts/check-release-rules.mjs");
const workplace = useWorkplace();

let kubeconfig: string;

beforeAll(async () => {
  const server = await startApiServer(workplace, {
    store: { kind: "memory" },
    flags: ["--vocabulary=kubernetes", "--emulated-release=1.36", "--authorization-mode=Node"],
  });
  const { ca, cert, key } = server.authority.user("admin", ["system:masters"]);
  const user = { certificate: String(cert), key: String(key) };
  kubeconfig = join(workplace.folder(), "kubeconfig");
  writeFileSync(
    kubeconfig,
    configurationText(configurationFor({ name: "rules", server: server.url, ca: ca.toString(), user })),
  );
});

/** Longer than on an idle machine by a factor of ten. */
const TIMEOUT_MS = 180_000;

/** Beginnings of the rows that are known to differ: object, operation, field and value. */
const KNOWN: readonly string[] = [
  'plainPod create - {"/spec/resources":{"claims":',
  'plainPod create - {"/spec/hostUsers":false,"/spec/hostPID":true}',
  'plainPod create /metadata/annotations {"controller.kubernetes.io/pod-deletion-cost":',
  'suspendedJob update /spec/template/spec/containers/0/image "other"',
];

const isKnown = (line: string): boolean => KNOWN.some((row) => line.slice(line.indexOf(" ") + 1).startsWith(row));

test(
  "the server of 1.36 decides on objects as Kubernetes 1.36 does",
  async () => {
    const { stdout } = await run("--kubeconfig", kubeconfig).catch((error: { readonly stdout: string }) => error);
    const lines = stdout.trim().split("\n");
    expect(Number(/^(\d+) objects/.exec(lines.at(-1) ?? "")?.[1])).toBeGreaterThan(3000);
    const differing = lines.slice(0, -1).filter((line) => !line.startsWith(" "));
    expect(differing.filter((line) => !isKnown(line))).toEqual([]);
  },
  TIMEOUT_MS,
);

test("the script fails for a release without rows", async () => {
  await expect(run("--kubeconfig", kubeconfig, "--release=1.20")).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("0 objects"),
  });
});

test("the script needs a kubeconfig", async () => {
  await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("--kubeconfig is needed") });
});

function run(...words: readonly string[]): Promise<{ readonly stdout: string }> {
  return promisify(execFile)(process.execPath, [SCRIPT, ...words], { encoding: "utf8" });
}
