// Replicas of an aggregator in front of an aggregated API server, used with kubectl.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { Kubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const HOST = "widgets.default.svc";

let authority: Authority;
let fronts: [ApiServer, ApiServer];
let back: ApiServer;
let kubectl: Kubectl;
let liar: Server;
/** The answer of the faulty server to every request. */
let lie: { readonly code: number; readonly body: string } = { code: 200, body: "{}" };

const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                description: "What is wanted of the widget.",
                properties: { size: { type: "integer", minimum: 1, description: "In centimetres." } },
              },
            },
          },
        },
      },
    ],
  },
};

beforeAll(async () => {
  authority = new Authority(workplace);
  const { cert, key } = authority.issue("front-proxy");
  const etcd = await startEtcd(workplace);
  const store = { kind: "etcd", endpoints: etcd.endpoints } as const;
  const flags = ["--vocabulary=kubernetes", `--proxy-client-cert-file=${cert}`, `--proxy-client-key-file=${key}`];
  const front = (name: string) => startApiServer(workplace, { name, authority, store, flags });
  fronts = [await front("front-1"), await front("front-2")];
  const serving = authority.issue("widgets", { names: [HOST] });
  back = await startApiServer(workplace, {
    name: "back",
    authority,
    store: { kind: "memory" },
    flags: [
      "--vocabulary=kubernetes",
      `--tls-cert-file=${serving.cert}`,
      `--tls-private-key-file=${serving.key}`,
      `--requestheader-client-ca-file=${authority.caFile}`,
      "--requestheader-allowed-names=front-proxy",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    ],
  });
  kubectl = new Kubectl(fronts[0], workplace.folder());
  expect((await back.admin.post(DEFINITIONS, definition)).status).toBe(201);
  await eventually("the back serves widgets", async () => (await back.admin.get(WIDGETS)).status === 200);
  const pair = authority.user("liar");
  liar = createServer({ cert: pair.cert, key: pair.key }, (_request, response) => {
    response.writeHead(lie.code, { "content-type": "application/json" });
    response.end(lie.body);
  });
  await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
}, 120_000);
afterAll(() => {
  liar.closeAllConnections();
  liar.close();
});

function manifest(name: string, text: string): string {
  const file = join(kubectl.folder, name);
  writeFileSync(file, text);
  return file;
}

const registration = (
  group: string,
  port: number,
  more = "  insecureSkipTLSVerify: true",
) => `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.${group} }
spec:
  group: ${group}
  version: v1
  groupPriorityMinimum: 2000
  versionPriority: 15
  service: { namespace: default, name: widgets, port: ${port} }
${more}
`;

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: widgets, namespace: default }
spec: { type: ExternalName, externalName: localhost }
`;

const widget = (name: string, size: number) => `apiVersion: example.com/v1
kind: Widget
metadata: { name: ${name}, namespace: default }
spec: { size: ${size} }
`;

async function availability(name: string): Promise<string> {
  const path = "{.status.conditions[0].status} {.status.conditions[0].reason}";
  return kubectl.print(["get", "apiservice", name, "-o", `jsonpath=${path}`]);
}

const becomes = (name: string, expected: string) =>
  eventually(`${name} is ${expected}`, async () => (await availability(name)) === expected, { timeoutMs: 60_000 });

test("a registered API is used with kubectl like any other, at each replica", async () => {
  const caBundle = `  caBundle: ${readFileSync(authority.caFile).toString("base64")}`;
  await kubectl.print(["apply", "-f", manifest("service.yaml", SERVICE)]);
  await kubectl.print(["apply", "-f", manifest("api.yaml", registration("example.com", back.port, caBundle))]);
  await kubectl.print(["wait", "--for=condition=Available", "--timeout=60s", "apiservice/v1.example.com"]);
  await kubectl.print(["apply", "-f", manifest("one.yaml", widget("one", 3))]);
  await kubectl.print(["apply", "-f", manifest("one.yaml", widget("one", 4))]);
  expect(await kubectl.print(["get", "wd", "one"])).toMatch(/NAME +SIZE\none +4\n/);
  const refused = await kubectl.run(["apply", "-f", manifest("bad.yaml", widget("bad", 0))]);
  expect(refused.stderr).toContain("spec.size");
  expect(await kubectl.print(["api-resources", "--api-group=example.com"])).toMatch(
    /widgets +wd +example.com\/v1 +true +Widget/,
  );
  await eventually("its schema is published", async () => {
    const { stdout } = await kubectl.run(["explain", "widgets.spec"]);
    return stdout.includes("What is wanted of the widget.") && stdout.includes("In centimetres.");
  });
  expect(await kubectl.print(["get", "apiservices", "v1.example.com"])).toMatch(
    /v1.example.com +default\/widgets +True/,
  );
  const [, second] = fronts;
  await eventually(
    "the other replica serves it",
    async () => (await second.admin.get(`${WIDGETS}/one`)).status === 200,
  );
  expect((await second.admin.get("/apis/example.com/v1")).object()["resources"]).toHaveLength(1);
}, 120_000);

test("the aggregated API server receives the user", async () => {
  const ann = authority.user("ann", ["devs"]);
  const role = (group: string) => ({
    metadata: { name: group },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "widgets" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
  });
  const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["*"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const list = async (server: ApiServer) => (await server.client(ann).get(WIDGETS)).status;
  const allow = async (server: ApiServer) => {
    await server.admin.post(`${rbac}/clusterroles`, { metadata: { name: "widgets" }, rules });
    expect((await server.admin.post(`${rbac}/clusterrolebindings`, role("devs"))).status).toBe(201);
  };
  expect(await list(fronts[0])).toBe(403);
  await allow(back);
  // Permission at the aggregated server does not imply permission at the aggregator.
  expect(await list(fronts[0])).toBe(403);
  await allow(fronts[0]);
  for (const front of fronts) await eventually("ann lists widgets", async () => (await list(front)) === 200);
  await back.admin.delete(`${rbac}/clusterrolebindings/devs`);
  for (const front of fronts) await eventually("ann does not any more", async () => (await list(front)) === 403);
}, 60_000);

test("unavailable and misbehaving aggregated API servers are reported and do not affect other APIs", async () => {
  const { port } = liar.address() as AddressInfo;
  lie = { code: 500, body: "oh" };
  await kubectl.print(["apply", "-f", manifest("dead.yaml", registration("dead.example.com", 1))]);
  await kubectl.print(["apply", "-f", manifest("liar.yaml", registration("liar.example.com", port))]);
  await becomes("v1.dead.example.com", "False FailedDiscoveryCheck");
  await becomes("v1.liar.example.com", "False FailedDiscoveryCheck");
  for (const front of fronts) {
    const answer = await front.admin.get("/apis/dead.example.com/v1/things");
    expect([answer.status, answer.object()["reason"]]).toEqual([503, "ServiceUnavailable"]);
    expect((await front.admin.get("/apis")).status).toBe(200);
  }
  // The server answers malformed content.
  lie = {
    code: 200,
    body: '{"kind":"APIResourceList","resources":[{"name":"a/b/c"},7,null],"paths":[],"definitions":3}',
  };
  await becomes("v1.liar.example.com", "True Passed");
  const { stdout } = await kubectl.run(["get", "widgets,configmaps", "-A"]);
  expect(stdout).toContain("widget.example.com/one");
  expect(await kubectl.print(["explain", "configmap.data"])).toContain("DESCRIPTION");
  for (const name of ["dead", "liar"]) await kubectl.print(["delete", "apiservice", `v1.${name}.example.com`]);
}, 180_000);

test("a watch through the front tells of changes, and ends with the server behind, which is found again when it is back", async () => {
  const watch = kubectl.start(["get", "widgets", "--watch-only", "-o", "name"]);
  let seen = "";
  watch.stdout.on("data", (piece) => {
    seen += String(piece);
  });
  const ended = new Promise((resolve) => watch.on("exit", resolve));
  await eventually("the watch tells", async () => {
    await back.admin.delete(`${WIDGETS}/two`);
    await back.admin.post(WIDGETS, {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "two" },
      spec: { size: 2 },
    });
    return seen.includes("widget.example.com/two");
  });
  await back.kill();
  await ended;
  await becomes("v1.example.com", "False FailedDiscoveryCheck");
  expect((await fronts[1].admin.get(WIDGETS)).status).toBe(503);
  // The resources of the aggregators themselves remain.
  expect(await kubectl.print(["get", "services", "widgets"])).toContain("ExternalName");
  await back.start();
  await back.admin.post(DEFINITIONS, definition);
  await becomes("v1.example.com", "True Passed");
  for (const front of fronts)
    await eventually("it is served again", async () => (await front.admin.get(WIDGETS)).status === 200);
}, 180_000);
