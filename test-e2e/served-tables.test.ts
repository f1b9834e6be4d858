// scripts/print-served-tables.mjs, and the kinds of Kubernetes 1.36 that it finds: `served-kinds-1.36.tsv` has them as
// the discovery documents of kube-apiserver 1.36 do.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { repository, useWorkplace } from "./harness/processes";

const SCRIPT = join(repository, "scripts/print-served-tables.mjs");
const workplace = useWorkplace();

/** Gates that kinds need in addition to --runtime-config. */
const GATES = {
  ClusterTrustBundle: true,
  GenericWorkload: true,
  PodCertificateRequest: true,
  StorageVersionMigrator: true,
};

let servers: readonly RunningServer[];
let files: readonly string[];

beforeAll(async () => {
  const flags = { "emulated-release": "1.36" };
  servers = await Promise.all([
    startServer({
      vocabulary: "kubernetes",
      flags: { ...flags, "runtime-config": { "api/all": "true" }, "feature-gates": GATES },
    }),
    startServer({ vocabulary: "kubernetes", flags }),
  ]);
  const folder = workplace.folder();
  files = servers.map(({ kubeconfig }, place) => {
    const file = join(folder, `${place}.kubeconfig`);
    writeFileSync(file, kubeconfig);
    return file;
  });
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function printed(table: string, ...words: readonly string[]): Promise<string> {
  const all = [SCRIPT, table, "--kubeconfig", files[0] ?? "", "--vocabulary=kubernetes", ...words];
  return (await promisify(execFile)(process.execPath, all, { encoding: "utf8" })).stdout;
}

test("the kinds of 1.36 are those of Kubernetes, and on by default as they are there", async () => {
  const expected = readFileSync(join(__dirname, "served-kinds-1.36.tsv"), "utf8");
  expect((await printed("kinds", "--default-kubeconfig", files[1] ?? "")).split("\n")).toEqual(expected.split("\n"));
});

test("without a second server, kinds have no column about the default", async () => {
  const [header = "", ...rows] = (await printed("kinds")).trim().split("\n");
  expect(header).toBe("group\tversion\tresource\tkind");
  expect(rows).toContain("apps\tv1\tdeployments/scale\tScale");
});

test("gates have a stage and a state", async () => {
  const rows = (await printed("gates")).trim().split("\n");
  expect(rows).toEqual(
    expect.arrayContaining([
      "gate\tstage\tenabled",
      "DynamicResourceAllocation\tGA\ttrue",
      "CoordinatedLeaderElection\tBETA\tfalse",
      "GenericWorkload\tALPHA\ttrue",
      "GangScheduling\tALPHA\tfalse",
    ]),
  );
});

test("flags have the value of the server", async () => {
  const rows = (await printed("flags")).trim().split("\n");
  expect(rows).toEqual(expect.arrayContaining(["flag\tvalue", "emulated-release\t1.36", "authorization-mode\t[RBAC]"]));
});

test.each([
  [["kinds"], "--kubeconfig is needed"],
  [["tables", "--kubeconfig", "x"], "one table is needed: kinds, gates, flags"],
])("%j is refused: %s", async (words, message) => {
  await expect(promisify(execFile)(process.execPath, [SCRIPT, ...words])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message),
  });
});
