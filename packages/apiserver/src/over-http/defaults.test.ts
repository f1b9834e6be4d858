import { describe, expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const deployment = (name: string, more: object = {}, pod: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }], ...pod } },
    ...more,
  },
});

const apply = (name: string, body: object) =>
  admin.ask("PATCH", `${DEPLOYMENTS}/${name}?fieldManager=one`, { body, headers: { "content-type": APPLY } });

const ROLLING = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } };
const CONTAINER = { imagePullPolicy: "Always", terminationMessagePolicy: "File" };

describe("a default", () => {
  test("is given on create, deep inside too", async () => {
    const { code, json } = await admin.post(DEPLOYMENTS, deployment("created"));
    expect(code).toBe(201);
    expect(json.spec).toMatchObject({
      replicas: 1,
      strategy: ROLLING,
      template: { spec: { restartPolicy: "Always", containers: [CONTAINER] } },
    });
  });

  test("comes back when a patch takes the value away", async () => {
    await admin.post(DEPLOYMENTS, deployment("patched", { replicas: 3 }, { dnsPolicy: "Default" }));
    const body = { spec: { replicas: null, strategy: null, template: { spec: { dnsPolicy: null } } } };
    const { json } = await admin.ask("PATCH", `${DEPLOYMENTS}/patched`, { body, headers: { "content-type": MERGE } });
    expect(json.spec).toMatchObject({
      replicas: 1,
      strategy: ROLLING,
      template: { spec: { dnsPolicy: "ClusterFirst" } },
    });
  });

  test("comes back when the one who applied the value gives it up", async () => {
    const said = deployment(
      "applied",
      { replicas: 3, strategy: { type: "Recreate" } },
      { restartPolicy: "Always", dnsPolicy: "Default" },
    );
    const given = await apply("applied", said);
    expect([given.code, given.json.spec]).toMatchObject([201, { replicas: 3, strategy: { type: "Recreate" } }]);
    const { code, json } = await apply("applied", deployment("applied"));
    expect([code, json.spec]).toMatchObject([
      200,
      { replicas: 1, strategy: ROLLING, template: { spec: { dnsPolicy: "ClusterFirst", containers: [CONTAINER] } } },
    ]);
  });

  test("a default value has no field manager", async () => {
    await apply("owned", deployment("owned"));
    const { json } = await admin.get(`${DEPLOYMENTS}/owned`);
    const [entry] = (json.metadata as unknown as { managedFields: { fieldsV1: Record<string, object> }[] })
      .managedFields;
    expect(Object.keys(entry?.fieldsV1["f:spec"] ?? {})).toEqual(["f:selector", "f:template"]);
  });
});

test("the field manager of a secret's stringData owns its data", async () => {
  const body = { metadata: { name: "plain" }, stringData: { a: "b" } };
  const { json } = await admin.post("/api/v1/namespaces/default/secrets", body);
  const { managedFields } = json.metadata as unknown as { managedFields: { fieldsV1: Record<string, object> }[] };
  expect(json.data).toEqual({ a: "Yg==" });
  expect(managedFields.map(({ fieldsV1 }) => Object.keys(fieldsV1))).toEqual([["f:data", "f:type"]]);
});

test.each([
  [DEPLOYMENTS, deployment("sent-back")],
  ["/api/v1/namespaces/default/secrets", { metadata: { name: "sent-back" }, stringData: { a: "b" } }],
  [
    "/api/v1/namespaces/default/pods",
    { metadata: { name: "sent-back" }, spec: { containers: [{ name: "c", image: "i" }] } },
  ],
  ["/apis/storage.orch.io/v1/storageclasses", { metadata: { name: "sent-back" }, provisioner: "example.com/p" }],
])("an object in %s that is sent back as it was is not written again", async (path, body) => {
  const created = await admin.post(path, body);
  expect(created.code).toBe(201);
  const {
    managedFields: _,
    resourceVersion: __,
    ...metadata
  } = created.json.metadata as unknown as Record<string, unknown>;
  const sent = await admin.ask("PUT", `${path}/sent-back`, { body: { ...created.json, metadata } });
  expect([sent.code, sent.json.metadata.resourceVersion]).toEqual([200, created.json.metadata.resourceVersion]);
});
