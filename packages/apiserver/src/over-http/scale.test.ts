import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiClient, Loose } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const MERGE = "application/merge-patch+json";
const NAMESPACE = "/namespaces/default";
const DEPLOYMENTS = `/apis/apps/v1${NAMESPACE}/deployments`;

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const template = { metadata: { labels: { app: "a", tier: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const matchExpressions = [{ key: "tier", operator: "In", values: ["b", "a"] }];
const selector = { matchLabels: { app: "a" }, matchExpressions };
const patch = (path: string, type: string, body: object) =>
  admin.ask("PATCH", path, { body, headers: { "content-type": type } });
const replicasOf = async (path: string) =>
  ((await admin.get(path)).json.spec as unknown as { replicas: number }).replicas;

describe("the scale", () => {
  const web = `${DEPLOYMENTS}/web`;
  beforeAll(async () => {
    const spec = { replicas: 3, selector, template };
    await admin.post(DEPLOYMENTS, { metadata: { name: "web" }, spec });
  });

  test("shows what its parent wants, has, and selects", async () => {
    const { uid, resourceVersion } = (await admin.get(web)).json.metadata;
    const shown = await admin.get(`${web}/scale`);
    expect([shown.code, shown.json]).toMatchObject([
      200,
      {
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name: "web", namespace: "default", uid, resourceVersion, creationTimestamp: expect.any(String) },
        spec: { replicas: 3 },
        status: { replicas: 0, selector: "app=a,tier in (a,b)" },
      },
    ]);
  });

  test("a scale with a map of labels has their selector", async () => {
    const path = `/api/v1${NAMESPACE}/replicationcontrollers`;
    await admin.post(path, { metadata: { name: "rc" }, spec: { replicas: 1, selector: { app: "a" }, template } });
    expect((await admin.get(`${path}/rc/scale`)).json.status).toMatchObject({ selector: "app=a" });
  });

  test("is put, and changes nothing but the replicas, their owner and the generation", async () => {
    const before = (await admin.get(web)).json;
    const scale = (await admin.get(`${web}/scale`)).json;
    const put = await admin.put(`${web}/scale`, { ...scale, spec: { replicas: 5 } });
    expect([put.code, put.json.kind, put.json.spec]).toEqual([200, "Scale", { replicas: 5 }]);
    const after = (await admin.get(web)).json;
    expect(after).toEqual({
      ...before,
      metadata: {
        ...before.metadata,
        generation: 2,
        resourceVersion: put.json.metadata.resourceVersion,
        managedFields: expect.any(Array),
      },
      spec: { ...before.spec, replicas: 5 },
    });
    // The object has changed since it was read.
    expect((await admin.put(`${web}/scale`, { ...scale, spec: { replicas: 6 } })).code).toBe(409);
    expect((await admin.put(`${web}/scale`, { metadata: { name: "web" }, spec: { replicas: 6 } })).code).toBe(200);
  });

  test("is patched", async () => {
    for (const [type, body, replicas] of [
      [MERGE, { spec: { replicas: 1 } }, 1],
      ["application/json-patch+json", [{ op: "replace", path: "/spec/replicas", value: 2 }], 2],
      ["application/strategic-merge-patch+json", { spec: { replicas: 0 } }, 0],
    ] as const) {
      const answer = await patch(`${web}/scale`, type, body);
      expect([answer.code, answer.json.kind, await replicasOf(web)]).toEqual([200, "Scale", replicas]);
    }
    expect((await patch(`${web}/scale?dryRun=All`, MERGE, { spec: { replicas: 9 } })).json.spec).toEqual({
      replicas: 9,
    });
    expect(await replicasOf(web)).toBe(0);
  });

  test.each<[string, string, object, number]>([
    ["fewer than none", MERGE, { spec: { replicas: -1 } }, 422],
    ["another uid", MERGE, { metadata: { uid: "other" } }, 409],
    ["another resource version", MERGE, { metadata: { resourceVersion: "1" } }, 409],
    ["another name", MERGE, { metadata: { name: "other" } }, 400],
    ["no number", MERGE, { spec: { replicas: "many" } }, 422],
    ["an apply without a kind", "application/apply-patch+yaml", {}, 400],
  ])("a scale of %s is rejected", async (_what, type, body, code) => {
    const answer = await patch(`${web}/scale?fieldManager=m`, type, body);
    expect([answer.code, answer.json.kind]).toEqual([code, "Status"]);
  });

  test("the scale of a missing object is 404", async () => {
    expect((await admin.get(`${DEPLOYMENTS}/none/scale`)).code).toBe(404);
    const answer = await patch(`${DEPLOYMENTS}/none/scale`, MERGE, {});
    expect([answer.code, answer.json.message]).toEqual([404, 'deployments.apps "none" not found']);
  });

  test("is listed with the kind that it has", async () => {
    const { resources } = (await admin.get("/apis/apps/v1")).json;
    expect(resources.find(({ name }: Loose) => name === "deployments/scale")).toEqual({
      name: "deployments/scale",
      singularName: "",
      namespaced: true,
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    });
  });
});
