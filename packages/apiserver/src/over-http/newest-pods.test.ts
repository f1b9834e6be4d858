// Pods as the schedulers, controllers and node agents of the newest releases use them.
import { describe, expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const PODS = "/api/v1/namespaces/default/pods";
const ZONE = "topology.orch.io/zone";
const REGION = "topology.orch.io/region";

let admin: ApiClient;

useServer((running) => ({ admin } = running), { flags: { "emulated-release": "1.36" } });

interface StoredPod {
  readonly metadata: { readonly generation?: number; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly nominatedNodeName?: string };
}

const podIn = async (name: string, client = admin) =>
  (await client.get(`${PODS}/${name}`)).json as unknown as StoredPod;
const patch = (path: string, body: object) =>
  admin.ask("PATCH", path, { body, headers: { "content-type": "application/strategic-merge-patch+json" } });
const newPod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const binding = (name: string, node: string) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name },
  target: { kind: "Node", name: node },
});

async function makeNode(client: ApiClient): Promise<void> {
  const labels = { [ZONE]: "z1", [REGION]: "r1", other: "o" };
  expect((await client.post("/api/v1/nodes", { metadata: { name: "n1", labels } })).code).toBe(201);
}

describe("a binding", () => {
  test("gives the pod the topology labels of its node, and ends its nomination", async () => {
    await makeNode(admin);
    await admin.post(PODS, newPod("bound", {}, { labels: { [ZONE]: "old", app: "a" } }));
    await patch(`${PODS}/bound/status`, { status: { nominatedNodeName: "n2" } });
    expect((await admin.post(`${PODS}/bound/binding`, binding("bound", "n1"))).code).toBe(201);
    const { metadata, spec, status } = await podIn("bound");
    expect(metadata.labels).toEqual({ [ZONE]: "z1", [REGION]: "r1", app: "a" });
    expect(spec.nodeName).toBe("n1");
    expect(status.nominatedNodeName).toBeUndefined();
    expect(metadata.generation).toBe(1);
  });

  test("through the bindings of the namespace copies no labels, as in Kubernetes", async () => {
    await admin.post(PODS, newPod("bound-too"));
    expect((await admin.post("/api/v1/namespaces/default/bindings", binding("bound-too", "n1"))).code).toBe(201);
    expect((await podIn("bound-too")).metadata.labels).toBeUndefined();
  });

  test("to a node that does not exist copies no labels", async () => {
    await admin.post(PODS, newPod("bound-early"));
    expect((await admin.post(`${PODS}/bound-early/binding`, binding("bound-early", "later"))).code).toBe(201);
    expect((await podIn("bound-early")).metadata.labels).toBeUndefined();
  });

  test("is refused for a pod with scheduling gates until they are removed", async () => {
    await admin.post(PODS, newPod("gated", { schedulingGates: [{ name: "example.com/wait" }] }));
    const refused = await admin.post(`${PODS}/gated/binding`, binding("gated", "n1"));
    expect([refused.code, refused.json.message]).toEqual([409, expect.stringContaining("schedulingGates")]);
    const open = { spec: { schedulingGates: [{ $patch: "replace" }] } };
    expect((await patch(`${PODS}/gated`, open)).code).toBe(200);
    expect((await admin.post(`${PODS}/gated/binding`, binding("gated", "n1"))).code).toBe(201);
  });
});

test("a pod that is created on a node has the node's topology labels", async () => {
  const { json } = await admin.post(PODS, newPod("static", { nodeName: "n1" }));
  expect((json as unknown as StoredPod).metadata.labels).toEqual({ [ZONE]: "z1", [REGION]: "r1" });
});

test("the generation grows with the spec, and with the start of a graceful deletion", async () => {
  await admin.post(PODS, newPod("counted", { nodeName: "n9" }));
  const generation = async () => (await podIn("counted")).metadata.generation;
  expect(await generation()).toBe(1);
  await patch(`${PODS}/counted`, { spec: { containers: [{ name: "c", image: "j" }] } });
  expect(await generation()).toBe(2);
  await patch(`${PODS}/counted/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } });
  expect(await generation()).toBe(3);
  await admin.ask("DELETE", `${PODS}/counted`);
  expect(await generation()).toBe(4);
});

describe("an evicted pod", () => {
  const evict = (name: string, options: object = {}) =>
    admin.post(`${PODS}/${name}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      ...options,
    });
  const held = { finalizers: ["example.com/hold"] };

  test("has a condition that says why it ends", async () => {
    await admin.post(PODS, newPod("evicted", {}, held));
    expect((await evict("evicted")).code).toBe(201);
    const { metadata, status } = (await admin.get(`${PODS}/evicted`)).json;
    expect(metadata).toMatchObject({ deletionTimestamp: expect.any(String) });
    const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" };
    expect(status).toMatchObject({ conditions: [condition] });
  });

  test("may be named by its resource version", async () => {
    const { resourceVersion } = (await admin.post(PODS, newPod("known", {}, held))).json.metadata;
    const options = { deleteOptions: { preconditions: { resourceVersion } } };
    expect((await evict("known", options)).code).toBe(201);
    await admin.post(PODS, newPod("changed", {}, held));
    expect((await evict("changed", options)).code).toBe(409);
    expect((await podIn("changed")).status).not.toHaveProperty("conditions");
  });

  test("keeps its status in a dry run", async () => {
    await admin.post(PODS, newPod("spared"));
    expect((await evict("spared", { deleteOptions: { dryRun: ["All"] } })).code).toBe(201);
    expect((await podIn("spared")).status).not.toHaveProperty("conditions");
  });
});

test("endpoints are deprecated in favor of endpoint slices", async () => {
  const { headers } = await admin.get("/api/v1/namespaces/default/endpoints");
  const text = "v1 Endpoints is deprecated in v1.33+; use discovery.orch.io/v1 EndpointSlice";
  expect(headers["warning"]).toBe(`299 - "${text}"`);
});

test("the scale of a deployment is a table of wanted and present pods", async () => {
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  await admin.post(deployments, {
    metadata: { name: "web" },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  const { json } = await admin.ask("GET", `${deployments}/web/scale`, {
    headers: { accept: "application/json;as=Table;g=meta.orch.io;v=v1" },
  });
  expect(json).toMatchObject({
    columnDefinitions: [{ name: "Name" }, { name: "Desired" }, { name: "Available" }, { name: "Age" }],
    rows: [{ cells: ["web", 3, 0, expect.any(String)] }],
  });
});

test("1.34 copies no labels to pods and keeps nominations", async () => {
  const server = await startServer({ flags: { "emulated-release": "1.34" } });
  const client = new ApiClient(server, server.admin);
  try {
    await makeNode(client);
    await client.post(PODS, newPod("bound"));
    const body = { status: { nominatedNodeName: "n2" } };
    await client.ask("PATCH", `${PODS}/bound/status`, {
      body,
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect((await client.post(`${PODS}/bound/binding`, binding("bound", "n1"))).code).toBe(201);
    const { metadata, status } = await podIn("bound", client);
    expect(metadata.labels).toBeUndefined();
    expect(status.nominatedNodeName).toBe("n2");
  } finally {
    client.close();
    await server.stop();
  }
});
