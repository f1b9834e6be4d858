import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

// Subresources as they were before today's versions.
const EXTENSIONS = "/apis/extensions/v1beta1";
const path = (groupVersion: string) => `/apis/${groupVersion}/namespaces/default/deployments`;

let admin: ApiClient;

useServer((running) => ({ admin } = running), { flags: { "emulated-release": "1.15" } });

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (name: string, selector: object = { matchLabels: { app: "a" } }) => ({
  metadata: { name },
  spec: { replicas: 2, selector, template },
});

test.each(["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"])(
  "%s scales through its own kind",
  async (apiVersion) => {
    const name = apiVersion.replace("/", "-");
    expect((await admin.post(path("apps/v1"), deployment(name))).code).toBe(201);
    const scale = await admin.get(`${path(apiVersion)}/${name}/scale`);
    expect(scale.json).toMatchObject({
      kind: "Scale",
      apiVersion,
      spec: { replicas: 2 },
      status: { replicas: 0, selector: { app: "a" }, targetSelector: "app=a" },
    });
    const put = await admin.put(`${path(apiVersion)}/${name}/scale`, { ...scale.json, spec: { replicas: 7 } });
    expect([put.code, put.json.kind, put.json.spec]).toEqual([200, "Scale", { replicas: 7 }]);
    expect((await admin.get(`${path("apps/v1")}/${name}/scale`)).json).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { replicas: 7 },
      status: { selector: "app=a" },
    });
  },
);

test("a selector that labels alone cannot say is told as text", async () => {
  const matchExpressions = [{ key: "app", operator: "In", values: ["a", "b"] }];
  await admin.post(path("apps/v1"), deployment("chosen", { matchExpressions }));
  const { status } = (await admin.get(`${path("extensions/v1beta1")}/chosen/scale`)).json;
  expect(status).toEqual({ replicas: 0, targetSelector: "app in (a,b)" });
});

test.each(["extensions/v1beta1", "apps/v1beta1"])("%s asks for a rollback", async (apiVersion) => {
  const name = `back-${apiVersion.replace("/", "-")}`;
  await admin.post(path(apiVersion), deployment(name));
  const asked = { kind: "DeploymentRollback", apiVersion, name, rollbackTo: { revision: 3 } };
  const rollback = `${path(apiVersion)}/${name}/rollback`;
  const answer = await admin.post(rollback, { ...asked, updatedAnnotations: { why: "broken" } });
  expect([answer.code, answer.json]).toMatchObject([201, { kind: "Status", status: "Success" }]);
  expect((await admin.get(`${path(apiVersion)}/${name}`)).json).toMatchObject({
    metadata: { annotations: { why: "broken" } },
    spec: { rollbackTo: { revision: 3 } },
  });
  const negative = await admin.post(rollback, { ...asked, rollbackTo: { revision: -1 } });
  expect([negative.code, negative.json.message]).toEqual([422, expect.stringContaining("rollback.version")]);
  expect((await admin.post(rollback, { ...asked, name: "other" })).code).toBe(400);
});

test("discovery tells which kinds they have, and where there are none", async () => {
  const parts = async (root: string) =>
    (await admin.get(root)).json.resources
      .filter(({ name }) => /^(deployments|pods)\/(scale|rollback|eviction)$/.test(name))
      .map((each) => [each.name, each.kind, (each as unknown as { group?: string }).group]);
  expect(await parts(EXTENSIONS)).toEqual([
    ["deployments/rollback", "DeploymentRollback", undefined],
    ["deployments/scale", "Scale", undefined],
  ]);
  expect(await parts("/apis/apps/v1")).toEqual([["deployments/scale", "Scale", "autoscaling"]]);
  const core = (await admin.get("/api/v1")).json.resources.find(({ name }) => name === "pods/eviction");
  expect(core).toMatchObject({ group: "policy", version: "v1beta1", kind: "Eviction" });
});

test("the parameter export is accepted while the release has it", async () => {
  const { code, json } = await admin.get("/api/v1/namespaces/default?export=true");
  expect([code, json.metadata]).toMatchObject([200, { name: "default" }]);
});

test("containers that join a pod are a kind of their own while the release has them so", async () => {
  const alpha = await startServer({
    flags: { "emulated-release": "1.20", "feature-gates": { EphemeralContainers: true } },
  });
  const client = new ApiClient(alpha, alpha.admin);
  try {
    const pods = "/api/v1/namespaces/default/pods";
    await client.post(pods, { metadata: { name: "joined" }, spec: template.spec });
    const path = `${pods}/joined/ephemeralcontainers`;
    const empty = (await client.get(path)).json;
    expect(empty).toMatchObject({ kind: "EphemeralContainers", apiVersion: "v1", ephemeralContainers: [] });
    const put = await client.put(path, { ...empty, ephemeralContainers: [{ name: "debug", image: "i" }] });
    const debug = { name: "debug", image: "i", imagePullPolicy: "Always", terminationMessagePolicy: "File" };
    expect([put.code, put.json]).toMatchObject([
      200,
      { kind: "EphemeralContainers", metadata: { name: "joined" }, ephemeralContainers: [debug] },
    ]);
    expect((await client.get(`${pods}/joined`)).json.spec).toMatchObject({ ephemeralContainers: [debug] });
    const gone = await client.put(path, { ...put.json, ephemeralContainers: [] });
    expect([gone.code, gone.json.message]).toEqual([422, expect.stringContaining("may not be removed")]);
  } finally {
    client.close();
    await alpha.stop();
  }
});

test("an eviction of the old kind is understood after the version has gone", async () => {
  const last = await startServer({ flags: { "emulated-release": "1.26" } });
  const client = new ApiClient(last, last.admin);
  try {
    const pods = "/api/v1/namespaces/default/pods";
    await client.post(pods, { metadata: { name: "evicted" }, spec: template.spec });
    expect((await client.get("/apis/policy/v1beta1")).code).toBe(404);
    const eviction = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "evicted" } };
    expect((await client.post(`${pods}/evicted/eviction`, eviction)).code).toBe(201);
    expect((await client.get(`${pods}/evicted`)).code).toBe(404);
  } finally {
    client.close();
    await last.stop();
  }
});
