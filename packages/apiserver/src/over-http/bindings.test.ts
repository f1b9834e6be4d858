import { expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const NAMESPACE = "/api/v1/namespaces/default";
const PODS = `${NAMESPACE}/pods`;

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const pod = async (name: string, more: object = {}) =>
  (await admin.post(PODS, { metadata: { name, ...more }, spec: { containers: [{ name: "c", image: "i" }] } })).json
    .metadata;
const binding = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name, ...more },
  target: { kind: "Node", name: "node-1" },
});

test.each<[string, (name: string) => string]>([
  ["under the pod", (name) => `${PODS}/${name}/binding`],
  ["among bindings", () => `${NAMESPACE}/bindings`],
])("a binding %s assigns the pod, once", async (_where, path) => {
  const name = _where.replaceAll(" ", "-");
  await pod(name);
  const bound = await admin.post(path(name), binding(name, { annotations: { a: "b" } }));
  expect([bound.code, bound.json]).toMatchObject([201, { kind: "Status", status: "Success" }]);
  expect((await admin.get(`${PODS}/${name}`)).json).toMatchObject({
    metadata: { annotations: { a: "b" } },
    spec: { nodeName: "node-1" },
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] },
  });
  const again = await admin.post(path(name), binding(name));
  expect([again.code, again.json]).toMatchObject([
    409,
    {
      reason: "Conflict",
      message: `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node "node-1"`,
    },
  ]);
});

test("a pod that is being deleted is not assigned any more", async () => {
  await pod("ending", { finalizers: ["example.com/hold"] });
  await admin.ask("DELETE", `${PODS}/ending`);
  const { code, json } = await admin.post(`${PODS}/ending/binding`, binding("ending"));
  expect([code, json.message]).toEqual([
    409,
    'Operation cannot be fulfilled on pods/binding "ending": pod ending is being deleted, cannot be assigned to a host',
  ]);
});

test("a binding that means another pod of the name is refused", async () => {
  const { uid } = await pod("meant");
  expect((await admin.post(`${PODS}/meant/binding`, binding("meant", { uid: "another" }))).code).toBe(409);
  expect((await admin.post(`${PODS}/meant/binding`, binding("meant", { uid }))).code).toBe(201);
});

test("a dry run assigns nothing", async () => {
  await pod("dry");
  expect((await admin.post(`${PODS}/dry/binding?dryRun=All`, binding("dry"))).code).toBe(201);
  expect((await admin.get(`${PODS}/dry`)).json.spec).not.toHaveProperty("nodeName");
});

test.each<[string, object, number, string]>([
  ["by another name", { metadata: { name: "x" } }, 400, "name in URL does not match name in Binding object"],
  ["to nowhere", { target: {} }, 422, 'Binding "refused" is invalid: target.name: Required value'],
  ["to something else", { target: { kind: "Rack", name: "r" } }, 422, "target.kind: Unsupported value"],
  ["with unknown fields", { nonsense: 1 }, 400, 'unknown field "nonsense"'],
])("a binding %s is refused", async (_what, more, code, text) => {
  await pod("refused");
  const path = `${PODS}/refused/binding?fieldValidation=Strict`;
  const answer = await admin.post(path, { ...binding("refused"), ...more });
  expect([answer.code, answer.json.message]).toEqual([code, expect.stringContaining(text)]);
});

test("discovery lists what can be done to pods, and under which kinds", async () => {
  const { resources } = (await admin.get("/api/v1")).json;
  const found = (name: string) => resources.find((each) => each.name === name);
  expect(found("bindings")).toEqual({
    name: "bindings",
    singularName: "",
    namespaced: true,
    kind: "Binding",
    verbs: ["create"],
  });
  expect(found("pods/binding")).toEqual({
    name: "pods/binding",
    singularName: "",
    namespaced: true,
    kind: "Binding",
    verbs: ["create"],
  });
  expect(found("pods/eviction")).toEqual({
    name: "pods/eviction",
    singularName: "",
    namespaced: true,
    group: "policy",
    version: "v1",
    kind: "Eviction",
    verbs: ["create"],
  });
});
