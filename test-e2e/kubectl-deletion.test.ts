// How the field's command-line client deletes, as Debian ships it (1.20): cascades, grace, finalizers, rehearsals, namespaces.
// What follows of a deletion by itself is not in here: no controller runs.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { tool, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let kubectlOptions: readonly string[];
let folder: string;

/** What it prints. @throws Error with what it complained about, when it fails */
async function kubectl(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(tool("kubectl"), [...kubectlOptions, ...args], {
    timeout: 60_000,
    env: { HOME: folder },
  });
  return (await run).stdout;
}

beforeAll(async () => {
  const server = await startApiServer(workplace, { store: { kind: "memory" }, flags: ["--vocabulary=kubernetes"] });
  folder = workplace.folder();
  const { ca } = server.authority.issue("apiserver");
  kubectlOptions = [
    `--server=${server.url}`,
    `--certificate-authority=${ca}`,
    "--token=admin-token",
    `--cache-dir=${folder}/cache`,
  ];
}, 60_000);

const metadataOf = async (what: string): Promise<Record<string, unknown>> =>
  JSON.parse(await kubectl("get", what, "-o", "json")).metadata;

function written(name: string, object: object): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(object));
  return path;
}

describe("a deletion", () => {
  test.each([
    ["orphan", ["orphan"]],
    ["foreground", ["foregroundDeletion"]],
  ])("that cascades by %s waits for whoever does that", async (cascade, finalizers) => {
    await kubectl("create", "configmap", cascade);
    await kubectl("delete", "configmap", cascade, `--cascade=${cascade}`, "--wait=false");
    expect(await metadataOf(`configmap/${cascade}`)).toMatchObject({
      finalizers,
      deletionTimestamp: expect.any(String),
    });
  });

  test("in the background is over when it returns", async () => {
    await kubectl("create", "configmap", "plain");
    await kubectl("delete", "configmap", "plain", "--cascade=background");
    await expect(kubectl("get", "configmap", "plain")).rejects.toThrow(/NotFound/);
  });

  test("can be rehearsed", async () => {
    await kubectl("create", "configmap", "rehearsed");
    expect(await kubectl("delete", "configmap", "rehearsed", "--dry-run=server")).toMatch(/deleted \(server dry run\)/);
    expect(await metadataOf("configmap/rehearsed")).not.toHaveProperty("deletionTimestamp");
  });

  test("takes all that a selector chooses", async () => {
    for (const name of ["one", "two", "other"]) {
      const labels = { chosen: name === "other" ? "no" : "yes" };
      const path = written(name, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels } });
      await kubectl("create", "-f", path);
    }
    await kubectl("delete", "configmaps", "-l", "chosen=yes");
    expect(await kubectl("get", "configmaps", "-l", "chosen", "-o", "name")).toBe("configmap/other\n");
  });
});

test("a pod that runs is given its time, and none when forced", async () => {
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  await kubectl("create", "-f", written("runs", { apiVersion: "v1", kind: "Pod", metadata: { name: "runs" }, spec }));
  await kubectl("delete", "pod", "runs", "--grace-period=20", "--wait=false");
  expect(await metadataOf("pod/runs")).toMatchObject({ deletionGracePeriodSeconds: 20 });
  await kubectl("delete", "pod", "runs", "--grace-period=0", "--force");
  await expect(kubectl("get", "pod", "runs")).rejects.toThrow(/NotFound/);
});

test("a namespace is terminating until it is finalized", async () => {
  await kubectl("create", "namespace", "ending");
  await kubectl("delete", "namespace", "ending", "--wait=false");
  expect(await kubectl("get", "namespace", "ending", "-o", "jsonpath={.status.phase}")).toBe("Terminating");
  await expect(kubectl("create", "configmap", "late", "-n", "ending")).rejects.toThrow(
    /because it is being terminated/,
  );
  const object = JSON.parse(await kubectl("get", "namespace", "ending", "-o", "json"));
  expect(object.spec).toEqual({ finalizers: ["kubernetes"] });
  const finalized = written("finalized", { ...object, spec: { finalizers: [] } });
  await kubectl("replace", "--raw", "/api/v1/namespaces/ending/finalize", "-f", finalized);
  await expect(kubectl("get", "namespace", "ending")).rejects.toThrow(/NotFound/);
});
