import { describe, expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const PODS = "/api/v1/namespaces/default/pods";
const MERGE = "application/strategic-merge-patch+json";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const requests = (cpu: string, more: object = {}) => ({ resources: { requests: { cpu, ...more } } });
const patch = (path: string, body: object) => admin.ask("PATCH", path, { body, headers: { "content-type": MERGE } });
async function pod(name: string) {
  const spec = { containers: [{ name: "c", image: "i", ...requests("1") }] };
  expect((await admin.post(PODS, { metadata: { name }, spec })).code).toBe(201);
}

test("a resize changes the resources of containers and nothing else", async () => {
  await pod("resized");
  const body = {
    metadata: { labels: { a: "b" } },
    spec: { nodeName: "elsewhere", containers: [{ name: "c", image: "other", ...requests("2") }] },
  };
  const changed = await patch(`${PODS}/resized/resize`, body);
  expect(changed.code).toBe(200);
  const { metadata, spec } = (await admin.get(`${PODS}/resized`)).json;
  expect(spec).toMatchObject({ containers: [{ name: "c", image: "i", ...requests("2") }] });
  expect([metadata, spec]).toEqual([
    expect.not.objectContaining({ labels: expect.anything() }),
    expect.not.objectContaining({ nodeName: expect.anything() }),
  ]);
});

test("a resize to what is there already is no change", async () => {
  await pod("same");
  const { json } = await admin.get(`${PODS}/same`);
  const resized = await patch(`${PODS}/same/resize`, { spec: { containers: [{ name: "c", ...requests("1") }] } });
  expect([resized.code, resized.json]).toEqual([200, json]);
});

test.each<[string, object, string]>([
  ["other resources", requests("1", { "ephemeral-storage": "1Gi" }), "only cpu and memory resources are mutable"],
  ["less than nothing", requests("-1"), "must be greater than or equal to 0"],
  [
    "all that it may use",
    { resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } } },
    "Pod QOS Class may not change as a result of resizing",
  ],
])("a resize to %s is refused", async (what, container, text) => {
  const name = what.replaceAll(" ", "-");
  await pod(name);
  const { code, json } = await patch(`${PODS}/${name}/resize`, { spec: { containers: [{ name: "c", ...container }] } });
  expect([code, json.message]).toEqual([422, expect.stringContaining(text)]);
});

test("a container joins a running pod, and stays", async () => {
  await pod("joined");
  const path = `${PODS}/joined/ephemeralcontainers`;
  const joining = { name: "debug", image: "i", targetContainerName: "c" };
  expect((await patch(path, { spec: { ephemeralContainers: [joining] } })).code).toBe(200);
  expect((await admin.get(path)).json.spec).toMatchObject({ ephemeralContainers: [joining] });
  const gone = await patch(path, { spec: { ephemeralContainers: [{ name: "debug", $patch: "delete" }] } });
  expect([gone.code, gone.json.message]).toEqual([422, expect.stringContaining("may not be removed")]);
});

test("where its gate is off, no container joins", async () => {
  const old = await startServer({ flags: { "feature-gates": { EphemeralContainers: false } } });
  const client = new ApiClient(old, old.admin);
  try {
    const { code, json } = await client.get(`${PODS}/any/ephemeralcontainers`);
    expect([code, json.message]).toEqual([400, "feature EphemeralContainers disabled"]);
  } finally {
    client.close();
    await old.stop();
  }
});

describe("components", () => {
  const path = "/api/v1/componentstatuses";
  const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
  const healthy = [{ type: "Healthy", status: "True", message: "ok" }];
  const lease = (spec: object) => ({ metadata: { name: "orch-controller-manager" }, spec });
  const led = { holderIdentity: "manager-1", leaseDurationSeconds: 15 };

  test("the store is one, as one object and in the list", async () => {
    const store = { metadata: { name: "etcd-0" }, conditions: healthy };
    expect((await admin.get(path)).json).toMatchObject({ kind: "ComponentStatusList", items: [store] });
    expect((await admin.get(`${path}/etcd-0`)).json).toMatchObject({ kind: "ComponentStatus", ...store });
    expect((await admin.get(`${path}?fieldSelector=metadata.name=other`)).json.items).toEqual([]);
    const { code, json } = await admin.get(`${path}/other`);
    expect([code, json.message]).toEqual([500, "Component not found: other"]);
    expect((await admin.post(path, { metadata: { name: "x" } })).code).toBe(405);
  });

  test("a program that leads through a lease is one, and as healthy as its lease", async () => {
    const conditions = async () => (await admin.get(`${path}/controller-manager`)).json as { conditions?: object };
    const renewed = { ...led, renewTime: new Date().toISOString().replace("Z", "000Z") };
    expect((await admin.post(leases, lease(renewed))).code).toBe(201);
    expect(await conditions()).toMatchObject({ conditions: healthy });
    expect((await admin.get(path)).json.items.map(({ metadata }) => metadata.name)).toEqual([
      "controller-manager",
      "etcd-0",
    ]);
    for (const [spec, message] of [
      [
        { ...led, renewTime: "2020-01-01T00:00:00.000000Z" },
        "manager-1 has not renewed its lease since 2020-01-01T00:00:00.000000Z",
      ],
      [{ ...renewed, holderIdentity: "" }, "no leader is elected"],
    ] as const) {
      const headers = { "content-type": "application/merge-patch+json" };
      await admin.ask("PATCH", `${leases}/orch-controller-manager`, { headers, body: { spec } });
      expect(await conditions()).toMatchObject({ conditions: [{ type: "Healthy", status: "False", message }] });
    }
  });

  test("are read in an old way, and clients are told so", async () =>
    expect((await admin.get(path)).headers["warning"]).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"'));
});
