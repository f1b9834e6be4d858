// Connections of a real server through proxies: over TLS to the cluster, over a socket to the control plane. The targets
// exist behind the proxies only.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeClient, makeSelfSignedCa } from "@orch/http-server";
import { ConnectProxy } from "@orch/testing";
import { type RunningServer, startServer } from "../server/start-server";
import { type AdmissionWebhook, admissionWebhook } from "../testing/admission-webhook";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { type RemoteService, remoteService } from "../testing/remote-service";
import { maskedFrame, OPCODE, openWebSocket } from "../testing/web-socket-client";

const POD_IP = "10.1.2.3";
const NODE_IP = "10.9.9.9";
const STREAM_NODE_IP = "10.9.9.8";
const LOST_NODE_IP = "10.9.9.7";
const HOOK_NAME = "hook.example";
const EXTERNAL_NAME = "wardle.example";
const PODS = "/api/v1/namespaces/default/pods";
const REGISTRATION = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";

const folder = mkdtempSync(join(tmpdir(), "egress-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** Returns a text frame as a kubelet sends it. */
const frameOf = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x80 | OPCODE.text, text.length]), Buffer.from(text)]);

/** Starts a kubelet whose streams begin with the requested path, and answer each piece with its length. */
async function streamingAgent(streamClosed: () => void): Promise<SecureServer> {
  const { certificate: cert, key } = makeSelfSignedCa([STREAM_NODE_IP]).serving;
  const agent = createSecureServer({ cert, key });
  agent.on("upgrade", (request, socket) => {
    socket.on("error", () => {});
    socket.on("close", streamClosed);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    socket.write(frameOf(String(request.url)));
    socket.on("data", (piece: Buffer) => socket.write(frameOf(`${piece.length} bytes`)));
  });
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  return agent;
}

const pod = createServer((_request, response) => response.end("the pod"));
let remote: RemoteService;
let audit: RemoteService;
let hook: AdmissionWebhook;
let agent: SecureServer;
let streamsClosed = 0;
let cluster: ConnectProxy;
let controlPlane: ConnectProxy;
/** Issuer of tokens, which is not reachable. */
const ISSUER = "issuer.example:443";
/** Local ports that stand for targets in the cluster. */
const ports = new Map<string, number>();
let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => pod.listen(0, "127.0.0.1", resolve));
  remote = await remoteService((request, _body, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ kind: "APIResourceList", path: request.url }));
  });
  audit = await remoteService((_request, _body, response) => response.end());
  hook = await admissionWebhook(["hook.default.svc", "converter.default.svc"]);
  agent = await streamingAgent(() => {
    streamsClosed += 1;
  });
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  const client = makeClient(authority.ca, { commonName: "api-server" });
  const remotePort = Number(new URL(remote.url).port);
  ports.set(`${POD_IP}:8080`, portOf(pod));
  ports.set(`${STREAM_NODE_IP}:10250`, portOf(agent));
  ports.set(`${HOOK_NAME}:443`, hook.port);
  cluster = await ConnectProxy.listen({
    tls: {
      cert: authority.serving.certificate,
      key: authority.serving.key,
      ca: authority.ca.certificate,
      requestCert: true,
    },
    portOf: (target) => ports.get(target) ?? remotePort,
  });
  const udsName = join(folder, "proxy.sock");
  controlPlane = await ConnectProxy.listen({ path: udsName });
  const tlsConfig = {
    caBundle: file("ca.crt", authority.ca.certificate),
    clientCert: file("client.crt", client.certificate),
    clientKey: file("client.key", client.key),
  };
  const selector = {
    apiVersion: "apiserver.orch.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [
      {
        name: "cluster",
        connection: {
          proxyProtocol: "HTTPConnect",
          transport: { tcp: { url: `https://127.0.0.1:${cluster.port}`, tlsConfig } },
        },
      },
      { name: "controlplane", connection: { proxyProtocol: "HTTPConnect", transport: { uds: { udsName } } } },
    ],
  };
  const authentication = {
    apiVersion: "apiserver.config.orch.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: "https://issuer.example", audiences: ["a"], egressSelectorType: "cluster" },
        claimMappings: { username: { claim: "sub", prefix: "" } },
      },
    ],
  };
  const policy = { apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata", verbs: ["create"] }] };
  server = await startServer({
    flags: {
      "emulated-release": "1.36",
      "egress-selector-config-file": file("egress.json", JSON.stringify(selector)),
      "authentication-config": file("authentication.json", JSON.stringify(authentication)),
      "audit-policy-file": file("policy.json", JSON.stringify(policy)),
      "audit-webhook-config-file": file("audit.json", audit.configuration()),
      "audit-webhook-mode": "blocking",
    },
  });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  for (const proxy of [cluster, controlPlane]) proxy.close();
  await Promise.all([remote.close(), audit.close(), hook.close()]);
  pod.close();
  agent.close();
  rmSync(folder, { recursive: true });
});

const status = (path: string, value: object) =>
  admin.ask("PATCH", `${path}/status`, {
    body: { status: value },
    headers: { "content-type": "application/merge-patch+json" },
  });

async function runPod(name: string, node: string, address: string): Promise<void> {
  await admin.post("/api/v1/nodes", { metadata: { name: node } });
  await status(`/api/v1/nodes/${node}`, { addresses: [{ type: "InternalIP", address }] });
  await admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const containers = [{ name: "web", image: "web" }];
  const made = await admin.post(PODS, { metadata: { name }, spec: { nodeName: node, containers } });
  expect(made.code).toBe(201);
}

test("requests to a pod and to a kubelet pass through the proxy of the cluster", async () => {
  await runPod("web", "n1", NODE_IP);
  await status(`${PODS}/web`, { podIP: POD_IP, podIPs: [{ ip: POD_IP }] });
  expect((await admin.get(`${PODS}/web:8080/proxy/`)).text).toBe("the pod");
  expect((await admin.get(`${PODS}/web/log`)).text).toContain("/containerLogs/default/web/web");
  expect(cluster.targets).toEqual(expect.arrayContaining([`${POD_IP}:8080`, `${NODE_IP}:10250`]));
});

describe("streams of a pod", () => {
  beforeAll(() => runPod("streams", "n2", STREAM_NODE_IP));

  test.each([
    ["exec?command=ls&stdin=true&stdout=true", "/exec/default/streams/web?"],
    ["attach?stdin=true&stdout=true", "/attach/default/streams/web?"],
    ["portforward?ports=80", "/portForward/default/streams"],
  ])("%s passes through the proxy of the cluster both ways until the client leaves", async (asked, path) => {
    const [dialed, closed] = [cluster.targets.length, streamsClosed];
    const { code, socket, next } = await openWebSocket(server, `${PODS}/streams/${asked}`);
    expect(code).toBe(101);
    expect((await next())?.payload.toString()).toContain(path);
    const sent = maskedFrame(OPCODE.binary, Buffer.alloc(10));
    socket?.write(sent);
    expect((await next())?.payload.toString()).toBe(`${sent.length} bytes`);
    // The server asks its issuer for keys again from time to time, by the same proxy.
    const targets = cluster.targets.slice(dialed).filter((target) => target !== ISSUER);
    expect(targets).toEqual([`${STREAM_NODE_IP}:10250`]);
    socket?.destroy();
    while (streamsClosed === closed) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test("a kubelet that the proxy does not reach is an error that names the proxy", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    ports.set(`${LOST_NODE_IP}:10250`, portOf(gone));
    await new Promise((resolve) => gone.close(resolve));
    await runPod("lost", "n3", LOST_NODE_IP);
    expect((await openWebSocket(server, `${PODS}/lost/exec?command=ls&stdout=true`)).code).toBe(500);
    const { json } = await admin.get(`${PODS}/lost/log`);
    expect(json).toMatchObject({ kind: "Status", code: 503 });
    expect(json.message).toContain(`cannot connect to ${LOST_NODE_IP}:10250 through the proxy https://127.0.0.1:`);
  });
});

test("an aggregated API server is reached through the proxy of the cluster", async () => {
  // The proxy resolves the name.
  const spec = { type: "ExternalName", externalName: EXTERNAL_NAME };
  await admin.post("/api/v1/namespaces/default/services", { metadata: { name: "wardle" }, spec });
  await admin.post("/apis/apiregistration.orch.io/v1/apiservices", {
    metadata: { name: "v1.wardle.example.com" },
    spec: {
      ...{ group: "wardle.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 10 },
      service: { namespace: "default", name: "wardle" },
      insecureSkipTLSVerify: true,
    },
  });
  const path = "/apis/wardle.example.com/v1/flunders";
  let answer = await admin.get(path);
  while (answer.code !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer = await admin.get(path);
  }
  expect(answer.text).toContain(path);
  expect(cluster.targets).toContain(`${EXTERNAL_NAME}:443`);
});

test("a webhook by URL and the audit webhook are called through the proxy of the control plane", async () => {
  const clientConfig = hook.clientConfig("/validate");
  await admin.post(REGISTRATION, {
    metadata: { name: "test" },
    webhooks: [
      {
        name: "test.example.com",
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        ...{ clientConfig, sideEffects: "None", admissionReviewVersions: ["v1"] },
      },
    ],
  });
  const target = new URL((clientConfig as { readonly url: string }).url).host;
  while (!controlPlane.targets.includes(target)) {
    const answer = await admin.post(CONFIG_MAPS, { metadata: { generateName: "a-" } });
    expect(answer.code).toBe(201);
  }
  expect(controlPlane.targets).toContain(new URL(audit.url).host);
});

test("an admission webhook of a service is called through the proxy of the cluster", async () => {
  const spec = { ports: [{ port: 443 }], selector: { app: "hook" } };
  const service = await admin.post("/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
  const { clusterIP } = service.json.spec as unknown as { readonly clusterIP: string };
  ports.set(`${clusterIP}:443`, hook.port);
  const { caBundle } = hook.clientConfig();
  const made = await admin.post(REGISTRATION, {
    metadata: { name: "of-service" },
    webhooks: [
      {
        name: "service.example.com",
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }],
        clientConfig: { service: { namespace: "default", name: "hook", path: "/of-service" }, caBundle },
        ...{ sideEffects: "None", admissionReviewVersions: ["v1"] },
      },
    ],
  });
  expect(made.code).toBe(201);
  while (!hook.asked.some(({ path }) => path === "/of-service")) {
    const answer = await admin.post("/api/v1/namespaces/default/secrets", { metadata: { generateName: "a-" } });
    expect(answer.code).toBe(201);
  }
  expect(cluster.targets).toContain(`${clusterIP}:443`);
  expect(controlPlane.targets).not.toContain(`${clusterIP}:443`);
});

test("a conversion webhook of a service is called through the proxy of the cluster, which resolves its name", async () => {
  const service = { type: "ExternalName", externalName: HOOK_NAME };
  await admin.post("/api/v1/namespaces/default/services", { metadata: { name: "converter" }, spec: service });
  hook.answer = ({ desiredAPIVersion, objects = [] }) => ({
    result: { status: "Success" },
    convertedObjects: (objects as readonly object[]).map((each) => ({ ...each, apiVersion: desiredAPIVersion })),
  });
  const clientConfig = {
    service: { namespace: "default", name: "converter", path: "/convert" },
    caBundle: hook.clientConfig().caBundle,
  };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const versions = [version("v1", { storage: true }), version("v2")];
  expect((await admin.post(DEFINITIONS, definition({ versions, spec: { conversion } }))).code).toBe(201);
  while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await admin.post(WIDGETS, widget("one"))).code).toBe(201);
  const { code, json } = await admin.get(`${WIDGETS.replace("/v1/", "/v2/")}/one`);
  expect([code, json.apiVersion, json.message]).toEqual([200, "example.com/v2", undefined]);
  expect(cluster.targets).toContain(`${HOOK_NAME}:443`);
  expect(controlPlane.targets).not.toContain(`${HOOK_NAME}:443`);
});

test("the issuer is asked through the selection that its configuration names", () => {
  expect(cluster.targets).toContain(ISSUER);
  expect(controlPlane.targets).not.toContain(ISSUER);
});

test("metrics count the connections by transport", async () => {
  const { text } = await admin.get("/metrics");
  for (const transport of ["tcp", "uds"]) {
    expect(text).toMatch(
      new RegExp(
        `apiserver_egress_dialer_dial_start_total\\{protocol="http_connect",transport="${transport}"\\} [1-9]`,
      ),
    );
  }
});
