// Deletion with kubectl (Debian's 1.20): cascades, grace periods, finalizers, dry runs, namespaces. Controllers run
// only in the last tests, so that the effect of a deletion alone is visible.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;
let server: ApiServer;

const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);

beforeAll(async () => {
  ({ server, client } = await startWithKubectl(workplace));
}, 60_000);

const metadataOf = async (what: string): Promise<Record<string, unknown>> =>
  JSON.parse(await kubectl("get", what, "-o", "json")).metadata;

function written(name: string, object: object): string {
  const path = join(client.folder, `${name}.json`);
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

describe("with a controller manager", () => {
  const WEB = "deployment.apps/web";
  const OF_IT = "replicaset.apps/web-1";

  beforeAll(() => {
    new ControllerManagers(workplace, server, "kubernetes").start("controller-manager");
  });

  /** A Deployment that owns a ReplicaSet that owns two Pods, as the controllers would make them. */
  async function webIn(namespace: string): Promise<void> {
    await kubectl("create", "namespace", namespace);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const make = async (apiVersion: string, kind: string, name: string, owner?: object, body: object = spec) => {
      const ownerReferences = owner === undefined ? [] : [{ ...owner, controller: true, blockOwnerDeletion: true }];
      const file = written(name, { apiVersion, kind, metadata: { name, labels, ownerReferences }, spec: body });
      const printed = await kubectl("create", "-n", namespace, "-f", file, "-o", "json");
      return { apiVersion, kind, name, uid: JSON.parse(printed).metadata.uid };
    };
    const deployment = await make("apps/v1", "Deployment", "web");
    const replicaSet = await make("apps/v1", "ReplicaSet", "web-1", deployment);
    for (const name of ["web-1-a", "web-1-b"]) await make("v1", "Pod", name, replicaSet, template.spec);
  }

  const left = async (namespace: string): Promise<string[]> =>
    (await kubectl("get", "deployments,replicasets,pods", "-n", namespace, "-o", "name")).split("\n").filter(Boolean);

  test.each([["background"], ["foreground"]])(
    "a cascade in the %s takes the dependents of dependents too",
    async (how) => {
      await webIn(`cascade-${how}`);
      // Waits until the Deployment is gone: in the foreground, after all its dependents.
      await kubectl("delete", "deployment", "web", "-n", `cascade-${how}`, `--cascade=${how}`);
      if (how === "foreground") expect(await left(`cascade-${how}`)).toEqual([]);
      await eventually("all are gone", async () => (await left(`cascade-${how}`)).length === 0);
    },
    60_000,
  );

  test("orphans stay, and no longer say that they have an owner", async () => {
    await webIn("cascade-orphan");
    await kubectl("delete", "deployment", "web", "-n", "cascade-orphan", "--cascade=orphan");
    expect(await left("cascade-orphan")).toEqual([OF_IT, "pod/web-1-a", "pod/web-1-b"]);
    const replicaSet = JSON.parse(await kubectl("get", OF_IT, "-n", "cascade-orphan", "-o", "json"));
    expect(replicaSet.metadata.ownerReferences).toBeUndefined();
  }, 60_000);

  test("a namespace goes with its content", async () => {
    await webIn("full");
    expect(await left("full")).toContain(WEB);
    expect(await kubectl("delete", "namespace", "full")).toBe('namespace "full" deleted\n');
    await expect(kubectl("get", "namespace", "full")).rejects.toThrow(/NotFound/);
    await kubectl("create", "namespace", "full");
    expect(await left("full")).toEqual([]);
  }, 60_000);
});
