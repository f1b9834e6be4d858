// Protected objects survive garbage collection and namespace deletion. Uses kubectl (Debian's 1.20).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { MakeRun } from "./harness/make-run";
import { useWorkplace } from "./harness/processes";

const MARK = "kubernetes.io/deletion-protection";
const KEPT = new RegExp(
  `protected from deletion by the annotation ${MARK}, which "kubectl[^"]*" set at \\S+Z: remove the annotation first`,
);

const workplace = useWorkplace();
let run: MakeRun;

beforeAll(async () => {
  run = await MakeRun.start(workplace, "run");
}, 60_000);

const isGone = async (...what: readonly string[]) => (await run.try("get", ...what)).stderr.includes("NotFound");

test("a dependent outlives its owner, and goes when its mark is taken off", async () => {
  await run.kubectl("create", "namespace", "owned");
  const there = "--namespace=owned";
  await run.kubectl("create", "configmap", "owner", there);
  const { metadata } = await run.json<{ metadata: { uid: string } }>("get", "configmap", "owner", there);
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid }];
  const items = ["kept", "free"].map((name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ownerReferences },
  }));
  const file = join(run.folder, "owned.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await run.kubectl("create", "--filename", file, there);
  await run.kubectl("annotate", "configmap", "kept", `${MARK}=true`, there);
  const refused = await run.try("delete", "configmap", "kept", there);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(KEPT)]);
  await run.kubectl("delete", "configmap", "owner", there);
  await eventually("the other one is gone", () => isGone("configmap", "free", there));
  // The garbage collector has handled both, and retries this one.
  expect(await isGone("configmap", "kept", there)).toBe(false);
  await run.kubectl("annotate", "configmap", "kept", `${MARK}-`, there);
  await eventually("it is gone, too", () => isGone("configmap", "kept", there), { timeoutMs: 60_000 });
}, 120_000);

test("a namespace stays as it is as long as something in it is marked", async () => {
  await run.kubectl("create", "namespace", "full");
  const there = "--namespace=full";
  await run.kubectl("create", "secret", "generic", "other", there);
  await run.kubectl("create", "secret", "generic", "kept", there);
  await run.kubectl("annotate", "secret", "kept", `${MARK}=true`, there);
  const refused = await run.try("delete", "namespace", "full");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(KEPT)]);
  expect(refused.stderr).toContain('namespaces "full" is forbidden: secrets "kept" is');
  expect((await run.try("delete", "secrets", "--all", there)).stderr).toMatch(KEPT);
  expect(await isGone("secret", "kept", there)).toBe(false);
  await run.kubectl("annotate", "secret", "kept", `${MARK}-`, there);
  await run.kubectl("delete", "namespace", "full", "--timeout=30s");
}, 120_000);
