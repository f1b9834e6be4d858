// Every write, virtual resource, action and connection passes admission: a real server with a plugin that records its
// calls.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { PluginFactory } from "@orch/admission";
import { makeSelfSignedCa } from "@orch/http-server";
import type { AdmissionOperation, AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";

const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const EVERY: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

let server: RunningServer;
let admin: ApiClient;
let agent: Server;
/** Records of the administrator's requests only, because the server writes objects itself. */
let asked: Seen[];
let outcomes: string[];
let change: ((request: { object: JsonObject | undefined }) => void) | undefined;

type Seen = ReturnType<typeof seenOf>;

function seenOf(request: AdmissionRequest) {
  const { operation, definition, kind, subresource, namespace, name, options, object, oldObject } = request;
  return {
    asked: `${operation} ${definition.plural}${subresource === "" ? "" : `/${subresource}`} ${namespace}/${name}`,
    kind: kind.kind,
    options: options?.kind,
    has: [object && "object", oldObject && "oldObject"].filter(Boolean).join(" "),
    request,
  };
}

const witness: PluginFactory = {
  name: "Witness",
  make: () => ({
    on: [{ operations: EVERY }],
    mutate(request) {
      if (!isOfAdmin(request)) return;
      asked.push(seenOf(request));
      change?.(request);
    },
    settled(request, outcome) {
      if (isOfAdmin(request)) outcomes.push(outcome);
    },
  }),
};

const isOfAdmin = ({ user }: AdmissionRequest): boolean => user.groups.includes("system:masters") && !isOwn(user.name);
const isOwn = (name: string): boolean => name.startsWith("system:");

beforeAll(async () => {
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  agent = createServer({ cert: authority.serving.certificate, key: authority.serving.key }, (_request, response) =>
    response.end("here"),
  );
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  [asked, outcomes, change] = [[], [], undefined];
  server = await startWithSeams({}, { plugins: (made) => [...made, witness] });
  admin = new ApiClient(server, server.admin);
  const { port } = agent.address() as AddressInfo;
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  expect((await admin.post("/api/v1/nodes", { metadata: { name: "n1" }, status })).code).toBe(201);
  for (const [name, spec] of [
    ["bound", { nodeName: "n1" }],
    ["free", {}],
    ["evicted", {}],
  ] as const) {
    const pod = { metadata: { name }, spec: { ...spec, containers: [{ name: "c", image: "i" }] } };
    expect((await admin.post(PODS, pod)).code).toBe(201);
  }
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployment = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
  expect((await admin.post(DEPLOYMENTS, deployment)).code).toBe(201);
}, 30_000);

afterAll(async () => {
  admin.close();
  await server.stop();
  agent.close();
});

beforeEach(() => {
  [asked, outcomes, change] = [[], [], undefined];
});

const map = (name: string, data: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const typed = (type: string, body: object) => ({ body: JSON.stringify(body), headers: { "content-type": type } });
const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };

describe("admission is asked about", () => {
  test.each<[string, () => Promise<{ code: number }>, readonly [string, string, string | undefined, string]]>([
    [
      "a create",
      () => admin.post(CONFIG_MAPS, map("a")),
      ["CREATE configmaps default/a", "ConfigMap", "CreateOptions", "object"],
    ],
    [
      "an update",
      () => admin.ask("PUT", `${CONFIG_MAPS}/a`, { body: map("a", { x: "1" }) }),
      ["UPDATE configmaps default/a", "ConfigMap", "UpdateOptions", "object oldObject"],
    ],
    [
      "a patch",
      () => admin.ask("PATCH", `${CONFIG_MAPS}/a`, typed(MERGE, { data: { x: "2" } })),
      ["UPDATE configmaps default/a", "ConfigMap", "UpdateOptions", "object oldObject"],
    ],
    [
      "an apply that creates",
      () => admin.ask("PATCH", `${CONFIG_MAPS}/b?fieldManager=m`, typed(APPLY, map("b"))),
      ["CREATE configmaps default/b", "ConfigMap", "CreateOptions", "object"],
    ],
    [
      "a deletion",
      () => admin.ask("DELETE", `${CONFIG_MAPS}/a`),
      ["DELETE configmaps default/a", "ConfigMap", "DeleteOptions", "oldObject"],
    ],
    [
      "a deletion among all",
      () => admin.ask("DELETE", CONFIG_MAPS),
      ["DELETE configmaps default/b", "ConfigMap", "DeleteOptions", "oldObject"],
    ],
    [
      "a status",
      () => admin.ask("PATCH", `${PODS}/free/status`, typed(MERGE, { status: { message: "m" } })),
      ["UPDATE pods/status default/free", "Pod", "UpdateOptions", "object oldObject"],
    ],
    [
      "a scale",
      () => admin.ask("PATCH", `${DEPLOYMENTS}/d/scale`, typed(MERGE, { spec: { replicas: 3 } })),
      ["UPDATE deployments/scale default/d", "Scale", "UpdateOptions", "object oldObject"],
    ],
    [
      "a binding",
      () => admin.post(`${PODS}/free/binding`, { metadata: { name: "free" }, target: { kind: "Node", name: "n1" } }),
      ["CREATE pods/binding default/free", "Binding", "CreateOptions", "object"],
    ],
    [
      "a binding among bindings",
      () =>
        admin.post(`/api/v1/namespaces/default/bindings?dryRun=All`, {
          metadata: { name: "evicted" },
          target: { kind: "Node", name: "n1" },
        }),
      ["CREATE bindings default/evicted", "Binding", "CreateOptions", "object"],
    ],
    [
      "an eviction",
      () =>
        admin.post(`${PODS}/evicted/eviction`, {
          apiVersion: "policy/v1beta1",
          kind: "Eviction",
          metadata: { name: "evicted" },
        }),
      ["CREATE pods/eviction default/evicted", "Eviction", "CreateOptions", "object"],
    ],
    [
      "a question about access",
      () => admin.post("/apis/authorization.orch.io/v1/selfsubjectaccessreviews", review),
      ["CREATE selfsubjectaccessreviews /", "SelfSubjectAccessReview", "CreateOptions", "object"],
    ],
    [
      "a question about a token",
      () => admin.post("/apis/authentication.orch.io/v1/tokenreviews", { spec: { token: "t" } }),
      ["CREATE tokenreviews /", "TokenReview", "CreateOptions", "object"],
    ],
    [
      "a command in a container",
      () => admin.post(`${PODS}/bound/exec?command=ls`, {}),
      ["CONNECT pods/exec default/bound", "PodExecOptions", undefined, "object"],
    ],
    [
      "an attachment",
      () => admin.post(`${PODS}/bound/attach`, {}),
      ["CONNECT pods/attach default/bound", "PodAttachOptions", undefined, "object"],
    ],
    [
      "forwarded ports",
      () => admin.post(`${PODS}/bound/portforward?ports=80`, {}),
      ["CONNECT pods/portforward default/bound", "PodPortForwardOptions", undefined, "object"],
    ],
    [
      "a proxied request",
      () => admin.get("/api/v1/nodes/n1/proxy/x"),
      ["CONNECT nodes/proxy /n1", "NodeProxyOptions", undefined, "object"],
    ],
  ])("%s", async (_what, send, [what, kind, options, has]) => {
    await send();
    expect(asked.map(({ request: _, ...seen }) => seen)).toEqual([{ asked: what, kind, options, has }]);
    expect(outcomes).toHaveLength(1);
  });

  test("every object of a collection that is deleted, by no name in the path, and as one write each", async () => {
    for (const name of ["one", "two"]) await admin.post(CONFIG_MAPS, map(name));
    [asked, outcomes] = [[], []];
    await admin.ask("DELETE", `${CONFIG_MAPS}?propagationPolicy=Orphan`);
    expect(asked.map((each) => each.asked).sort()).toEqual([
      "DELETE configmaps default/one",
      "DELETE configmaps default/two",
    ]);
    for (const { request } of asked) {
      expect([request.pathName, request.options]).toMatchObject(["", { propagation: { policy: "Orphan" } }]);
    }
    expect(new Set(asked.map(({ request }) => request.uid)).size).toBe(2);
    expect(outcomes).toEqual(["done", "done"]);
  });
});

test("the client's options are told, and a dry run comes to nothing", async () => {
  await admin.post(`${CONFIG_MAPS}?dryRun=All&fieldManager=me&fieldValidation=Strict`, map("dry"));
  expect(asked[0]?.request).toMatchObject({
    dryRun: true,
    options: { kind: "CreateOptions", fieldManager: "me", fieldValidation: "Strict" },
  });
  expect(outcomes).toEqual(["undone"]);
});

test("a plugin may put another object, question or body in the place of the one that came", async () => {
  change = (request) => {
    request.object = { ...request.object, data: { put: "here" } };
  };
  expect((await admin.post(CONFIG_MAPS, map("put"))).json.data).toEqual({ put: "here" });
  change = (request) => {
    request.object = { ...request.object, spec: { resourceAttributes: { verb: "list", resource: "nodes" } } };
  };
  const { json } = await admin.post("/apis/authorization.orch.io/v1/selfsubjectaccessreviews", review);
  expect(json.spec).toEqual({ resourceAttributes: { verb: "list", resource: "nodes" } });
});

test("admission cannot redirect a proxied request", async () => {
  change = (request) => {
    request.object = { ...request.object, path: "/elsewhere" };
  };
  const { code, json } = await admin.get("/api/v1/nodes/n1/proxy/x");
  expect([code, json.message]).toEqual([400, "admission may not change the path of a proxied request"]);
});
