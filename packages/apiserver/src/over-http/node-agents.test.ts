// The node authorizer in a real server: a kubelet may read the objects of the pods on its node as soon as the pods
// exist.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const SHOP = "/api/v1/namespaces/shop";
const STORAGE = "/apis/storage.orch.io/v1";
const IMAGE = { name: "web", image: "web", terminationMessagePath: "/x" };

let server: RunningServer;
let admin: ApiClient;
const nodes = new Map<string, ApiClient>();

function nodeOf(name: string): ApiClient {
  const known = nodes.get(name);
  if (known !== undefined) return known;
  const made = new ApiClient(server, server.issueClient({ name: `system:node:${name}`, groups: ["system:nodes"] }));
  nodes.set(name, made);
  return made;
}

const created = async (path: string, object: object) => {
  const answer = await admin.post(path, object);
  expect([answer.code, answer.json.message]).toEqual([201, undefined]);
  return answer.json;
};

const runPod = (name: string, nodeName: string, volumes: readonly object[] = [], more: object = {}) =>
  created(`${SHOP}/pods`, {
    metadata: { name },
    spec: { nodeName, containers: [IMAGE], volumes: volumes.map((of, at) => ({ name: `v${at}`, ...of })), ...more },
  });
const deletePod = (name: string) => admin.ask("DELETE", `${SHOP}/pods/${name}?gracePeriodSeconds=0`);
const secretOf = (secretName: string) => ({ secret: { secretName } });

const codeOf = async (node: string, path: string) => (await nodeOf(node).get(path)).code;
async function until(node: string, path: string, code: number): Promise<void> {
  while ((await codeOf(node, path)) !== code) await new Promise((resolve) => setTimeout(resolve, 2));
}

beforeAll(async () => {
  server = await startServer({
    flags: { "authorization-mode": ["Node", "RBAC"], "enable-admission-plugins": ["NodeRestriction"] },
  });
  admin = new ApiClient(server, server.admin);
  await created("/api/v1/namespaces", { metadata: { name: "shop" } });
  await created(`${SHOP}/serviceaccounts`, { metadata: { name: "default" } });
  for (const name of ["one", "two", "three"]) await created(`${SHOP}/secrets`, { metadata: { name } });
  await created(`${SHOP}/configmaps`, { metadata: { name: "one" } });
});
afterAll(async () => {
  for (const client of [admin, ...nodes.values()]) client.close();
  await server.stop();
});

describe("a secret", () => {
  test("is readable as soon as a pod of the node has it, and not any more when the pod is gone", async () => {
    expect(await codeOf("n1", `${SHOP}/secrets/one`)).toBe(403);
    await runPod("web", "n1", [secretOf("one")]);
    expect(await codeOf("n1", `${SHOP}/secrets/one`)).toBe(200);
    expect(await codeOf("n2", `${SHOP}/secrets/one`)).toBe(403);
    expect(await codeOf("n1", `${SHOP}/secrets/two`)).toBe(403);
    await runPod("more", "n1", [secretOf("one")]);
    await deletePod("web");
    expect(await codeOf("n1", `${SHOP}/secrets/one`)).toBe(200);
    await deletePod("more");
    expect(await codeOf("n1", `${SHOP}/secrets/one`)).toBe(403);
    const refused = await nodeOf("n1").get(`${SHOP}/secrets/one`);
    expect(refused.json.message).toBe(
      'secrets "one" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "shop": ' +
        "no relationship found between node 'n1' and this object",
    );
  });

  test("is had by its name alone, in lists and watches too", async () => {
    await runPod("web", "n1", [secretOf("one")]);
    const node = nodeOf("n1");
    expect((await node.get(`${SHOP}/secrets`)).code).toBe(403);
    const listed = await node.get(`${SHOP}/secrets?fieldSelector=metadata.name%3Done`);
    expect(listed.json.items.map(({ metadata }) => metadata.name)).toEqual(["one"]);
    expect((await node.get(`${SHOP}/secrets?fieldSelector=metadata.name%3Dtwo`)).code).toBe(403);
    const watched = await node.get(`${SHOP}/secrets?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done`);
    expect(watched.code).toBe(200);
    await deletePod("web");
  });

  test("goes with a pod of the same name to another node", async () => {
    await runPod("web", "n1", [secretOf("one")]);
    await deletePod("web");
    await runPod("web", "n2", [secretOf("one")]);
    expect([await codeOf("n1", `${SHOP}/secrets/one`), await codeOf("n2", `${SHOP}/secrets/one`)]).toEqual([403, 200]);
    await deletePod("web");
  });

  test("the secret of a pending pod is readable once the pod is bound", async () => {
    await created(`${SHOP}/pods`, {
      metadata: { name: "waiting" },
      spec: { containers: [IMAGE], volumes: [{ name: "v", ...secretOf("two") }] },
    });
    expect(await codeOf("n1", `${SHOP}/secrets/two`)).toBe(403);
    await created(`${SHOP}/pods/waiting/binding`, {
      metadata: { name: "waiting" },
      target: { kind: "Node", name: "n1" },
    });
    expect(await codeOf("n1", `${SHOP}/secrets/two`)).toBe(200);
    await deletePod("waiting");
  });

  test("that a mirror pod names is not had by it: whoever runs it has made it", async () => {
    await created(`${SHOP}/pods`, {
      metadata: { name: "mirror", annotations: { "orch.io/config.mirror": "x" } },
      spec: {
        nodeName: "n1",
        containers: [{ ...IMAGE, env: [{ name: "A", value: "b" }] }],
        imagePullSecrets: [{ name: "three" }],
      },
    });
    expect(await codeOf("n1", `${SHOP}/secrets/three`)).toBe(403);
    await deletePod("mirror");
  });

  test("the secret of an ephemeral container is readable once it is added", async () => {
    await runPod("web", "n1");
    const containers = [
      { name: "debug", image: "x", envFrom: [{ secretRef: { name: "three" } }], terminationMessagePolicy: "File" },
    ];
    const { json: pod } = await admin.get(`${SHOP}/pods/web`);
    const added = await admin.ask("PUT", `${SHOP}/pods/web/ephemeralcontainers`, {
      body: { ...pod, spec: { ...pod.spec, ephemeralContainers: containers } },
      headers: { "content-type": "application/json" },
    });
    expect([added.code, added.json.message]).toEqual([200, undefined]);
    expect(await codeOf("n1", `${SHOP}/secrets/three`)).toBe(200);
    await deletePod("web");
    expect(await codeOf("n1", `${SHOP}/secrets/three`)).toBe(403);
  });
});

test("claims, their volumes, the volumes' secrets and attachments are had by the node of the pod", async () => {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], resources, volumeName: "pv" };
  await created(`${SHOP}/persistentvolumeclaims`, { metadata: { name: "claim" }, spec });
  await created("/api/v1/persistentvolumes", {
    metadata: { name: "pv" },
    spec: {
      ...{
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        claimRef: { namespace: "shop", name: "claim" },
      },
      csi: { driver: "x", volumeHandle: "h", nodeStageSecretRef: { namespace: "shop", name: "two" } },
    },
  });
  const paths = [`${SHOP}/persistentvolumeclaims/claim`, "/api/v1/persistentvolumes/pv", `${SHOP}/secrets/two`];
  const codes = () => Promise.all(paths.map((path) => codeOf("n1", path)));
  expect(await codes()).toEqual([403, 403, 403]);
  await runPod("web", "n1", [{ persistentVolumeClaim: { claimName: "claim" } }]);
  expect(await codes()).toEqual([200, 200, 200]);
  await deletePod("web");
  expect(await codes()).toEqual([403, 403, 403]);

  await created(`${STORAGE}/volumeattachments`, {
    metadata: { name: "attached" },
    spec: { attacher: "x", nodeName: "n1", source: { persistentVolumeName: "pv" } },
  });
  expect(await codeOf("n1", `${STORAGE}/volumeattachments/attached`)).toBe(200);
  expect(await codeOf("n2", `${STORAGE}/volumeattachments/attached`)).toBe(403);
  await admin.delete(`${STORAGE}/volumeattachments/attached`);
  await until("n1", `${STORAGE}/volumeattachments/attached`, 403);
});

test("node agents have their basic permissions and those of their roles", async () => {
  const node = nodeOf("n1");
  expect((await node.get("/api/v1/nodes")).code).toBe(200);
  expect((await node.get("/api/v1/pods")).code).toBe(200);
  expect((await node.get("/apis/apps/v1/deployments")).code).toBe(403);
  await created("/apis/rbac.authorization.orch.io/v1/clusterrolebindings", {
    metadata: { name: "nodes-view" },
    subjects: [{ kind: "Group", name: "system:nodes", apiGroup: "rbac.authorization.orch.io" }],
    roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.orch.io" },
  });
  while ((await node.get("/apis/apps/v1/deployments")).code !== 200) await new Promise((go) => setTimeout(go, 5));
  const review = await node.post("/apis/authorization.orch.io/v1/selfsubjectrulesreviews", {
    spec: { namespace: "shop" },
  });
  expect(review.json.status).toMatchObject({
    incomplete: true,
    evaluationError: "node authorizer does not support user rule resolution",
  });
});

test("reviews of access answer for nodes", async () => {
  await runPod("web", "n7", [secretOf("one")]);
  const ask = async (user: string) => {
    const resourceAttributes = { namespace: "shop", verb: "get", resource: "secrets", name: "one" };
    const spec = { user, groups: ["system:nodes"], resourceAttributes };
    const answer = await admin.post("/apis/authorization.orch.io/v1/subjectaccessreviews", { spec });
    return answer.json.status as unknown as { readonly allowed: boolean };
  };
  expect(await ask("system:node:n7")).toMatchObject({ allowed: true });
  expect(await ask("system:node:n8")).toMatchObject({ allowed: false });
  await deletePod("web");
});

test("changes of the graph are counted by what they are", async () => {
  for (const operation of ["AddPod", "DeletePod", "AddPV", "AddVolumeAttachment", "DeleteVolumeAttachment"]) {
    const count = `node_authorizer_graph_actions_duration_seconds_count{operation="${operation}"}`;
    const line = new RegExp(`${count.replace(/[{}]/g, "\\$&")} [1-9]`);
    // Scrapes may be one second old.
    while (!line.test((await admin.get("/metrics")).text)) await new Promise((go) => setTimeout(go, 50));
  }
});

describe("writes of a node agent", () => {
  const LEASES = "/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases";
  const MERGE = { "content-type": "application/merge-patch+json" };
  const patch = async (node: string, path: string, body: object) => {
    const { code, json } = await nodeOf(node).ask("PATCH", path, { body: JSON.stringify(body), headers: MERGE });
    return [code, json.message ?? ""];
  };

  test("is its own node, without labels and taints by which others choose", async () => {
    const labels = { "orch.io/hostname": "host", plain: "x" };
    const made = await nodeOf("own").post("/api/v1/nodes", { metadata: { name: "own", labels } });
    expect(made.code).toBe(201);
    expect(await patch("own", "/api/v1/nodes/own/status", { status: { phase: "Running" } })).toEqual([200, ""]);
    expect(
      await patch("own", "/api/v1/nodes/own", { metadata: { labels: { "node-restriction.orch.io/a": "b" } } }),
    ).toEqual([403, 'nodes "own" is forbidden: is not allowed to modify labels: node-restriction.orch.io/a']);
    const { code, json } = await nodeOf("own").post("/api/v1/nodes", { metadata: { name: "another" } });
    expect([code, json.message]).toEqual([
      403,
      'nodes "another" is forbidden: node "own" is not allowed to modify node "another"',
    ]);
    expect(await patch("n1", "/api/v1/nodes/own", { spec: { unschedulable: true } })).toEqual([
      403,
      'nodes "own" is forbidden: node "n1" is not allowed to modify node "own"',
    ]);
  });

  test("is how the pods of its node fare", async () => {
    await runPod("faring", "n1");
    const path = `${SHOP}/pods/faring/status`;
    expect(await patch("n1", path, { status: { message: "well" } })).toEqual([200, ""]);
    expect(await patch("n2", path, { status: { message: "ill" } })).toEqual([
      403,
      'pods "faring" is forbidden: node "n2" can only update pod status for pods with spec.nodeName set to itself',
    ]);
    const gone = async (node: string) =>
      (await nodeOf(node).ask("DELETE", `${SHOP}/pods/faring?gracePeriodSeconds=0`)).code;
    expect([await gone("n2"), await gone("n1")]).toEqual([403, 200]);
  });

  test("is neither who owns its node, its pods and its lease, nor what holds them", async () => {
    const { metadata } = (await nodeOf("owned").post("/api/v1/nodes", { metadata: { name: "owned" } })).json;
    await runPod("owned", "owned");
    const own = { apiVersion: "v1", kind: "Node", name: "owned", uid: metadata.uid };
    const lease = await nodeOf("owned").post(LEASES, { metadata: { name: "owned", ownerReferences: [own] } });
    expect(lease.code).toBe(201);
    const gone = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "00000000-0000-0000-0000-000000000000" };
    const paths = ["/api/v1/nodes/owned", "/api/v1/nodes/owned/status", `${SHOP}/pods/owned/status`, `${LEASES}/owned`];
    for (const path of paths) {
      const owners = await patch("owned", path, { metadata: { ownerReferences: [gone] } });
      expect([path, ...owners]).toEqual([
        path,
        403,
        expect.stringMatching(/ownerReferences$|owner reference, to itself$/),
      ]);
      const finalizers = await patch("owned", path, { metadata: { finalizers: ["example.com/keep"] } });
      expect([path, ...finalizers]).toEqual([path, 403, expect.stringMatching(/is not allowed to modify finalizers$/)]);
      expect((await patch("owned", path, { metadata: { annotations: { a: "b" } } }))[0]).toBe(200);
    }
    await deletePod("owned");
  });

  test("is its lease", async () => {
    expect((await nodeOf("n1").post(LEASES, { metadata: { name: "n1" } })).code).toBe(201);
    const { code, json } = await nodeOf("n1").post(LEASES, { metadata: { name: "n2" } });
    expect([code, json.message]).toEqual([
      403,
      'leases.coordination.orch.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    ]);
  });

  test("is the token of a pod that runs there", async () => {
    await created(`${SHOP}/serviceaccounts`, { metadata: { name: "worker" } });
    const { metadata } = await runPod("working", "n1", [], { serviceAccountName: "worker" });
    const path = `${SHOP}/serviceaccounts/worker/token`;
    const asks = (boundObjectRef?: object) => ({
      apiVersion: "authentication.orch.io/v1",
      kind: "TokenRequest",
      spec: { ...(boundObjectRef && { boundObjectRef }) },
    });
    const bound = { kind: "Pod", apiVersion: "v1", name: "working", uid: metadata.uid };
    while ((await nodeOf("n1").post(path, asks(bound))).code !== 201)
      await new Promise((resolve) => setTimeout(resolve, 2));
    const { code, json } = await nodeOf("n1").post(path, asks());
    expect([code, json.message]).toEqual([
      403,
      'serviceaccounts "worker" is forbidden: node requested token not bound to a pod',
    ]);
  });
});

test("a node of 1.36 reads its own objects, and the claims and slices of its pods", async () => {
  const newest = await startServer({
    flags: {
      "emulated-release": "1.36",
      "authorization-mode": ["Node", "RBAC"],
      "enable-admission-plugins": ["NodeRestriction"],
    },
  });
  const root = new ApiClient(newest, newest.admin);
  const agent = new ApiClient(newest, newest.issueClient({ name: "system:node:n1", groups: ["system:nodes"] }));
  const RESOURCE = "/apis/resource.orch.io/v1";
  const post = async (path: string, object: object) => {
    const { code, text } = await root.post(path, object);
    if (code !== 201) throw new Error(text);
  };
  const codes = async (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => [path, (await agent.get(path)).code]));
  await post("/api/v1/namespaces", { metadata: { name: "shop" } });
  await post(`${SHOP}/serviceaccounts`, { metadata: { name: "default" } });
  for (const name of ["used", "free"]) {
    const exactly = { deviceClassName: "gpu" };
    const spec = { devices: { requests: [{ name: "one", exactly }] } };
    await post(`${RESOURCE}/namespaces/shop/resourceclaims`, { metadata: { name }, spec });
  }
  for (const nodeName of ["n1", "n2"]) {
    const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
    await post(`${RESOURCE}/resourceslices`, {
      metadata: { name: `of-${nodeName}` },
      spec: { nodeName, driver: "gpu.example.com", pool, devices: [{ name: "gpu-0" }] },
    });
  }
  const resourceClaims = [{ name: "gpu", resourceClaimName: "used" }];
  await post(`${SHOP}/pods`, {
    metadata: { name: "web" },
    spec: { nodeName: "n1", serviceAccountName: "default", containers: [IMAGE], resourceClaims },
  });
  const expected = [
    ["/api/v1/nodes", 403],
    ["/api/v1/nodes?fieldSelector=metadata.name%3Dn1", 200],
    ["/api/v1/pods", 403],
    ["/api/v1/pods?fieldSelector=spec.nodeName%3Dn2", 403],
    ["/api/v1/pods?fieldSelector=spec.nodeName%3Dn1", 200],
    [`${SHOP}/pods/web`, 200],
    [`${SHOP}/serviceaccounts/default`, 200],
    [`${SHOP}/serviceaccounts/other`, 403],
    [`${RESOURCE}/namespaces/shop/resourceclaims/used`, 200],
    [`${RESOURCE}/namespaces/shop/resourceclaims/free`, 403],
    [`${RESOURCE}/resourceslices`, 403],
    [`${RESOURCE}/resourceslices?fieldSelector=spec.nodeName%3Dn1`, 200],
    [`${RESOURCE}/resourceslices/of-n1`, 200],
    [`${RESOURCE}/resourceslices/of-n2`, 403],
  ] as const;
  expect(await codes(expected.map(([path]) => path))).toEqual(expected);
  for (const client of [root, agent]) client.close();
  await newest.stop();
}, 30_000);
