// scripts/check-release-rules.mjs and scripts/check-features.mjs: the decisions of Kubernetes 1.36 on more than 3,000 objects,
// and the answers that show its features, against servers of that release and of 1.32.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { configurationFor, configurationText } from "@orch/client";
import { startApiServer } from "./harness/api-server";
import { repository, useWorkplace } from "./harness/processes";

const OBJECTS = "check-release-rules.mjs";
const FEATURES = "check-features.mjs";
const workplace = useWorkplace();

/** Client configurations by release. */
const kubeconfigs = new Map<string, string>();

beforeAll(async () => {
  for (const release of ["1.36", "1.32"]) {
    const server = await startApiServer(workplace, {
      store: { kind: "memory" },
      flags: [
        ...["--vocabulary=kubernetes", `--emulated-release=${release}`, "--authorization-mode=Node"],
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
      ],
    });
    const { ca, cert, key } = server.authority.user("admin", ["system:masters"]);
    const user = { certificate: String(cert), key: String(key) };
    const kubeconfig = join(workplace.folder(), `kubeconfig-${release}`);
    writeFileSync(
      kubeconfig,
      configurationText(configurationFor({ name: "rules", server: server.url, ca: ca.toString(), user })),
    );
    kubeconfigs.set(release, kubeconfig);
  }
});

/** Several times the 150 s that a loaded machine takes. */
const TIMEOUT_MS = 600_000;

test(
  "the server of 1.36 decides on objects as Kubernetes 1.36 does",
  async () => {
    const lines = await linesOf(OBJECTS, "1.36");
    expect(Number(/^(\d+) objects/.exec(lines.at(-1) ?? "")?.[1])).toBeGreaterThan(3000);
    const differing = lines.slice(0, -1).filter((line) => !line.startsWith(" "));
    expect(differing).toEqual([]);
  },
  TIMEOUT_MS,
);

test.each([
  ["1.36", 95],
  ["1.32", 50],
])(
  "the server of %s answers as that release of Kubernetes, feature by feature",
  async (release, leastFeatures) => {
    const lines = await linesOf(FEATURES, release);
    expect(Number(/^(\d+) features/.exec(lines.at(-1) ?? "")?.[1])).toBeGreaterThan(leastFeatures);
    expect(lines.slice(0, -1)).toEqual([]);
  },
  TIMEOUT_MS,
);

test("the script fails for a release without rows, and for an unknown feature", async () => {
  const failing = (words: string) => ({ code: 1, stdout: expect.stringContaining(words) });
  await expect(run(OBJECTS, "1.36", "--release=1.20")).rejects.toMatchObject(failing("0 objects"));
  await expect(run(FEATURES, "1.36", "--feature=None")).rejects.toMatchObject(failing("0 features"));
});

test("a feature that the server answers differently is printed", async () => {
  const words = ["--release=1.36", "--feature=RelaxedServiceNameValidation"];
  await expect(run(FEATURES, "1.32", ...words)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^RelaxedServiceNameValidation, step 1\n {4}found code: 422\n/),
  });
});

test.each([OBJECTS, FEATURES])("%s needs a kubeconfig", async (script) => {
  const wrong = promisify(execFile)(process.execPath, [join(repository, "scripts", script)], { encoding: "utf8" });
  await expect(wrong).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("--kubeconfig is needed") });
});

async function linesOf(script: string, release: string): Promise<readonly string[]> {
  const { stdout } = await run(script, release, `--release=${release}`).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout.trim().split("\n");
}

/** @param server release of the server */
function run(script: string, server: string, ...words: readonly string[]): Promise<{ readonly stdout: string }> {
  const given = ["--kubeconfig", kubeconfigs.get(server) ?? "", ...words];
  return promisify(execFile)(process.execPath, [join(repository, "scripts", script), ...given], { encoding: "utf8" });
}
