import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const PODS = "/api/v1/namespaces/default/pods";
const SERVICES = "/api/v1/namespaces/default/services";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec },
});

test("every broken rule of an object is told at once, with field, reason and text", async () => {
  const { code, json } = await admin.post(PODS, pod("bad", { restartPolicy: "Often", containers: [{ name: "C" }] }));
  expect(code).toBe(422);
  expect(json).toMatchObject({
    kind: "Status",
    reason: "Invalid",
    details: {
      name: "bad",
      kind: "Pod",
      causes: [
        { field: "spec.containers[0].name", reason: "FieldValueInvalid" },
        { field: "spec.containers[0].image", reason: "FieldValueRequired", message: "Required value" },
        {
          field: "spec.restartPolicy",
          reason: "FieldValueNotSupported",
          message: 'Unsupported value: "Often": supported values: "Always", "Never", "OnFailure"',
        },
      ],
    },
  });
  expect(json.message).toMatch(/^Pod "bad" is invalid: \[spec\.containers\[0\]\.name: Invalid value: "C": /);
  expect((await admin.get(`${PODS}/bad`)).code).toBe(404);
});

test("a pod that runs takes another image and further tolerations, and nothing else", async () => {
  expect((await admin.post(PODS, pod("runs"))).code).toBe(201);
  const change = (spec: object) =>
    admin.ask("PATCH", `${PODS}/runs`, {
      body: { spec },
      headers: { "content-type": "application/strategic-merge-patch+json" },
    });
  expect((await change({ containers: [{ name: "c", image: "i:2" }] })).code).toBe(200);
  const { code, json } = await change({ hostNetwork: true });
  expect([code, json]).toMatchObject([
    422,
    { details: { causes: [{ field: "spec", reason: "FieldValueForbidden" }] } },
  ]);
});

test("a container joins a running pod through its sub-resource alone", async () => {
  expect((await admin.post(PODS, pod("joined"))).code).toBe(201);
  const join = (path: string) =>
    admin.ask("PATCH", path, {
      body: { spec: { ephemeralContainers: [{ name: "debug", image: "d:1" }] } },
      headers: { "content-type": "application/strategic-merge-patch+json" },
    });
  expect((await join(`${PODS}/joined`)).code).toBe(422);
  const { code, json } = await join(`${PODS}/joined/ephemeralcontainers`);
  expect([code, json.spec]).toMatchObject([
    200,
    { ephemeralContainers: [{ name: "debug", imagePullPolicy: "IfNotPresent" }] },
  ]);
});

test("a service keeps the address that it has", async () => {
  const spec = { clusterIP: "None", ports: [{ port: 80 }] };
  const { code, json } = await admin.post(SERVICES, { metadata: { name: "headless" }, spec });
  expect([code, json.spec]).toMatchObject([201, { clusterIP: "None", clusterIPs: ["None"] }]);
  const answer = await admin.put(`${SERVICES}/headless`, {
    metadata: { name: "headless" },
    spec: { ...spec, clusterIP: "10.0.0.9" },
  });
  expect([answer.code, answer.json]).toMatchObject([
    422,
    { details: { causes: [{ field: "spec.clusterIPs[0]", reason: "FieldValueInvalid" }] } },
  ]);
});

test("a container that asks for all rights of its node is taken only where the operator lets it", async () => {
  const privileged = pod("mighty", {
    containers: [{ name: "c", image: "i:1", securityContext: { privileged: true } }],
  });
  const refused = await admin.post(PODS, privileged);
  expect([refused.code, refused.json.details]).toMatchObject([
    422,
    {
      causes: [
        {
          field: "spec.containers[0].securityContext.privileged",
          reason: "FieldValueForbidden",
          message: "Forbidden: disallowed by cluster policy",
        },
      ],
    },
  ]);
  const lenient = await startServer({ flags: { "allow-privileged": true } });
  const client = new ApiClient(lenient, lenient.admin);
  expect((await client.post(PODS, privileged)).code).toBe(201);
  client.close();
  await lenient.stop();
});

test("a zone is no part of an address, and an empty text is none of a few words", async () => {
  const { json } = await admin.post(SERVICES, {
    metadata: { name: "odd" },
    spec: { ports: [{ port: 80 }], externalIPs: ["2001:db8::1%eth0", ""], ipFamilyPolicy: "" },
  });
  expect(json.details).toMatchObject({
    causes: expect.arrayContaining([
      expect.objectContaining({ field: "spec.externalIPs[0]", reason: "FieldValueInvalid" }),
      expect.objectContaining({ field: "spec.externalIPs[1]", reason: "FieldValueInvalid" }),
      expect.objectContaining({ field: "spec.ipFamilyPolicy", reason: "FieldValueNotSupported" }),
    ]),
  });
});
