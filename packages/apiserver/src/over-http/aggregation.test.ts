// An aggregator and an aggregated API server: requests to the aggregator reach the resources of the other.
import { readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient, http2Get, openHttp2 } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import {
  localService,
  type ProxyFiles,
  proxyFiles,
  REGISTRATIONS,
  registration,
  SERVICES,
} from "../testing/extension-servers";

const HOST = "widgets.default.svc";
const PATH = `${REGISTRATIONS}/v1.example.com`;

let files: ProxyFiles;
let front: RunningServer;
let back: RunningServer;
let admin: ApiClient;
let behind: ApiClient;

async function until(path: string, holds: (answer: Answer) => boolean, client = admin): Promise<Answer> {
  for (;;) {
    const found = await client.get(path);
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}
const conditionOf = ({ json }: Answer): Condition | undefined =>
  (json.status as unknown as { conditions?: readonly Condition[] } | undefined)?.conditions?.[0];

const reasonIs = (reason: string) => (answer: Answer) => answer.code === 200 && conditionOf(answer)?.reason === reason;

const caBundle = () => Buffer.from(files.authority.certificate).toString("base64");
const widgets = (spec: object = { caBundle: caBundle() }) =>
  registration("example.com", { service: "widgets", port: back.port, spec });

async function register(spec?: object): Promise<void> {
  const { code, text } = await admin.post(REGISTRATIONS, widgets(spec));
  expect([code, text]).toEqual([201, expect.anything()]);
  await until(PATH, reasonIs("Passed"));
}

beforeAll(async () => {
  files = proxyFiles(HOST);
  front = await startServer({ flags: files.front });
  const started = await startServer({ flags: files.back });
  // The aggregated server presents the certificate of its files.
  back = { ...started, ca: files.authority.certificate };
  admin = new ApiClient(front, front.admin);
  behind = new ApiClient(back, back.admin);
  expect((await admin.post(SERVICES, localService("widgets"))).code).toBe(201);
  expect(
    (
      await behind.post(
        DEFINITIONS,
        definition({ versions: [version("v1", { storage: true, subresources: { status: {} } })] }),
      )
    ).code,
  ).toBe(201);
  await until(WIDGETS, ({ code }) => code === 200, behind);
});
afterAll(async () => {
  admin.close();
  behind.close();
  await front.stop();
  await back.stop();
  files.remove();
});

describe("a registered API", () => {
  beforeEach(async () => {
    await admin.delete(PATH);
    await until(WIDGETS, ({ code }) => code === 404);
    for (const name of ["a", "b"]) await behind.delete(`${WIDGETS}/${name}`);
    await behind.delete(WIDGETS);
  });

  test("answers by all verbs", async () => {
    await register();
    const created = await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
    expect([created.code, created.json.metadata.name]).toEqual([201, "a"]);
    expect((await admin.get(`${WIDGETS}/a`)).bytes).toEqual((await behind.get(`${WIDGETS}/a`)).bytes);
    expect((await admin.put(`${WIDGETS}/a`, { ...created.json, spec: { size: 2 } })).json.spec).toEqual({ size: 2 });
    const patched = await admin.ask("PATCH", `${WIDGETS}/a`, {
      body: { spec: { size: 3 } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect(patched.json.spec).toEqual({ size: 3 });
    expect((await admin.get(WIDGETS)).json.items).toHaveLength(1);
    expect(await admin.ask("HEAD", `${WIDGETS}/a`)).toMatchObject({ code: 200, text: "" });
    expect((await admin.get(`${WIDGETS}/missing`)).json).toMatchObject({ kind: "Status", reason: "NotFound" });
    expect((await admin.post(WIDGETS, "{")).code).toBe(400);
    expect((await admin.delete(`${WIDGETS}/a`)).code).toBe(200);
    expect((await behind.get(`${WIDGETS}/a`)).code).toBe(404);
  });

  test("is watched through the front, and told to HTTP/2 as well", async () => {
    await register();
    const watch = await admin.watch(`${WIDGETS}?watch=1`);
    await admin.post(WIDGETS, widget("a"));
    await behind.post(WIDGETS, widget("b"));
    expect(await watch.take(2)).toEqual(["ADDED a", "ADDED b"]);
    const session = await openHttp2(front);
    expect((await http2Get(session, `${WIDGETS}/a`)).code).toBe(200);
    session.close();
    // The APIService is replaced by one that leads elsewhere.
    await admin.delete(PATH);
    expect(await watch.next()).toBeUndefined();
    await until(WIDGETS, ({ code }) => code === 404);
  });

  test("knows who asks, whatever the client says of it", async () => {
    await register();
    const ann = new ApiClient(front, front.issueClient({ name: "ann", groups: ["devs", "jörg"] }));
    const forged = {
      "X-Remote-User": "system:admin",
      "x-remote-group": "system:masters",
      X_Remote_Group: "system:masters",
      "X-Remote-Extra-Scopes": "all",
      Connection: "keep-alive, X-Remote-User",
    };
    const ask = () => ann.get(WIDGETS, { headers: forged });
    expect((await ask()).code).toBe(403);
    await allow(admin, "devs");
    // The aggregator authorizes these requests; the aggregated server refuses them.
    const passes = front.issueClient({ name: "bob", groups: ["devs"] });
    expect((await ask()).json.message).toContain('User "ann" cannot list resource "widgets"');
    await allow(behind, "jörg");
    await until(WIDGETS, ({ code }) => code === 200, ann);
    expect((await ask()).code).toBe(200);
    const bob = new ApiClient(front, passes);
    expect((await bob.get(WIDGETS, { headers: forged })).code).toBe(403);
    bob.close();
    ann.close();
  });

  test("is asked only by who may, and at paths that mean one thing", async () => {
    await register();
    for (const path of [
      "/apis/example.com/v1/namespaces/default/widgets/a/status/..%2f..%2f..%2f..%2f..%2fv2",
      "/apis/example.com/v1/namespaces/default/widgets/a%2fb",
      "/apis/example.com/v1//widgets",
    ]) {
      expect([path, (await admin.get(path)).code]).toEqual([path, 404]);
    }
    expect((await admin.get("/apis/example.com/v1/nothing")).json).toMatchObject({ kind: "Status", code: 404 });
  });

  test("shows what it serves, and is listed with the others", async () => {
    await register();
    for (const path of ["/apis/example.com/v1", "/apis/example.com/v1/"]) {
      const { code, json } = await admin.get(path);
      expect([code, json.resources.map(({ name }) => name)]).toEqual([200, ["widgets", "widgets/status"]]);
    }
    const { json } = await admin.get("/apis");
    const group = json.groups.find(({ name }) => name === "example.com");
    expect(group?.versions).toEqual([{ groupVersion: "example.com/v1", version: "v1" }]);
    expect((await admin.get("/apis/example.com")).json.preferredVersion).toEqual(group?.preferredVersion);
  });

  test("publishes its schema with that of all others", async () => {
    await register();
    interface Schema {
      readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
      readonly definitions: Readonly<Record<string, object>>;
    }
    const schema = async (path: string): Promise<Schema> => JSON.parse((await admin.get(path)).text) as Schema;
    let merged = await schema("/openapi/v2");
    while (merged.paths[`${WIDGETS.replace("default", "{namespace}")}`] === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      merged = await schema("/openapi/v2");
    }
    const local = JSON.parse((await behind.get("/openapi/v2")).text) as Schema;
    expect(merged.definitions["com.example.v1.Widget"]).toEqual(local.definitions["com.example.v1.Widget"]);
    // Models that both servers publish appear once.
    expect(Object.keys(merged.definitions).filter((name) => /_v\d$/.test(name))).toEqual([]);
    expect(Object.keys(merged.paths)).toContain("/apis/apps/v1/deployments");
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const protobuf = await admin.get("/openapi/v2", { headers: { accept } });
    expect(protobuf.bytes.includes("com.example.v1.Widget")).toBe(true);
    let index = await schema("/openapi/v3");
    while (index.paths["apis/example.com/v1"] === undefined) index = await schema("/openapi/v3");
    const url = index.paths["apis/example.com/v1"].serverRelativeURL;
    expect((await admin.get(url)).bytes).toEqual((await behind.get(url)).bytes);
    await admin.delete(PATH);
    while ((await schema("/openapi/v3")).paths["apis/example.com/v1"] !== undefined);
    while ((await schema("/openapi/v2")).definitions["com.example.v1.Widget"] !== undefined);
  });

  test("says why it does not answer", async () => {
    const say = async (spec: object, reason: string) => {
      await admin.delete(PATH);
      await until(PATH, ({ code }) => code === 404);
      await admin.post(REGISTRATIONS, widgets({ caBundle: caBundle(), ...spec }));
      const answer = await until(PATH, reasonIs(reason));
      const refused = await admin.get(WIDGETS);
      expect([refused.code, refused.json]).toMatchObject([
        503,
        { reason: "ServiceUnavailable", message: "service unavailable" },
      ]);
      expect((await admin.get("/apis")).json.groups.map(({ name }) => name)).toContain("example.com");
      return conditionOf(answer);
    };
    const service = (name: string, port = 443) => ({ service: { namespace: "default", name, port } });
    expect(await say(service("none"), "ServiceNotFound")).toMatchObject({
      type: "Available",
      status: "False",
      message: 'service/none in "default" is not present',
      lastTransitionTime: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const inside = { metadata: { name: "inside" }, spec: { ports: [{ name: "https", port: 443 }] } };
    await admin.post(SERVICES, inside);
    expect((await say(service("inside", 444), "ServicePortError"))?.message).toBe(
      'service/inside in "default" is not listening on port 444',
    );
    expect((await say(service("inside"), "EndpointsNotFound"))?.message).toBe(
      'cannot find endpoints for service/inside in "default"',
    );
    const endpoints = { metadata: { name: "inside" }, subsets: [] };
    await admin.post("/api/v1/namespaces/default/endpoints", endpoints);
    const missing = await until(PATH, reasonIs("MissingEndpoints"));
    expect(conditionOf(missing)?.message).toBe(
      'endpoints for service/inside in "default" have no addresses with port name "https"',
    );
    expect((await say(service("widgets", 1), "FailedDiscoveryCheck"))?.message).toContain(
      "failing or missing response from https://localhost:1/apis/example.com/v1: ",
    );
    const { text } = await admin.get("/metrics");
    expect(text).toContain('aggregator_unavailable_apiservice{name="v1.example.com"} 1');
    expect(text).toMatch(/aggregator_unavailable_apiservice_total\{name="v1.example.com",reason="ServiceNotFound"\} 1/);
  });

  test("is not believed by a certificate that another authority has signed", async () => {
    await admin.post(REGISTRATIONS, widgets({ caBundle: Buffer.from(front.ca).toString("base64") }));
    await until(PATH, reasonIs("Passed"));
    const { code, json } = await admin.get(WIDGETS);
    expect([code, json.message]).toEqual([503, expect.stringContaining("error trying to reach service: ")]);
    await admin.delete(PATH);
    await until(PATH, ({ code: gone }) => gone === 404);
    await register({ insecureSkipTLSVerify: true });
    expect((await admin.get(WIDGETS)).code).toBe(200);
  });

  test("is believed no more when the proxy's certificate is another", async () => {
    await register();
    expect((await admin.get(WIDGETS)).code).toBe(200);
    const { certificate, key } = front.issueClient({ name: "front-proxy" });
    const [cert, own] = ["proxy.crt", "proxy.key"].map((name) => join(files.folder, name)) as [string, string];
    const before = [readFileSync(cert), readFileSync(own)] as const;
    writeFileSync(cert, certificate);
    writeFileSync(own, key);
    // The aggregated server does not trust the authority of this certificate.
    await until(WIDGETS, ({ code }) => code === 401);
    writeFileSync(cert, before[0]);
    writeFileSync(own, before[1]);
    await until(WIDGETS, ({ code }) => code === 200);
  });
});

test("endpoints that are ready are called, where the server is told so", async () => {
  const outer = outerAddress();
  const before = await startServer({ flags: { ...files.front, "enable-aggregator-routing": true } });
  const after = await startServer({ flags: { ...files.back, "bind-address": "0.0.0.0" } });
  const [client, own] = [
    new ApiClient(before, before.admin),
    new ApiClient({ ...after, ca: files.authority.certificate, url: `https://127.0.0.1:${after.port}` }, after.admin),
  ];
  try {
    const ports = [{ name: "api", port: 443 }];
    await client.post(SERVICES, { metadata: { name: "widgets" }, spec: { ports } });
    const endpoints = "/api/v1/namespaces/default/endpoints";
    const ready = (name: string) => ({
      metadata: { name: "widgets" },
      subsets: [{ addresses: [{ ip: outer }], ports: [{ name, port: after.port }] }],
    });
    await own.post(DEFINITIONS, definition());
    await until(WIDGETS, ({ code }) => code === 200, own);
    await client.post(endpoints, ready("api"));
    const spec = { insecureSkipTLSVerify: true };
    await client.post(REGISTRATIONS, registration("example.com", { service: "widgets", port: 443, spec }));
    await until(PATH, reasonIs("Passed"), client);
    expect((await client.post(WIDGETS, widget("far"))).code).toBe(201);
    expect((await own.get(`${WIDGETS}/far`)).code).toBe(200);
    await client.put(`${endpoints}/widgets`, ready("other"));
    await until(PATH, reasonIs("MissingEndpoints"), client);
    expect((await client.get(WIDGETS)).code).toBe(503);
  } finally {
    client.close();
    own.close();
    await before.stop();
    await after.stop();
  }
});

function outerAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined)
    throw new Error("this machine has no address but its own: nothing can stand for an endpoint");
  return found.address;
}

async function allow(client: ApiClient, group: string): Promise<void> {
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  const apiGroup = "rbac.authorization.orch.io";
  const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["*"] }];
  await client.post(`${rbac}/clusterroles`, { metadata: { name: "widgets" }, rules });
  const { code } = await client.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "widgets" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "widgets" },
    subjects: [{ apiGroup, kind: "Group", name: group }],
  });
  expect(code).toBe(201);
}
