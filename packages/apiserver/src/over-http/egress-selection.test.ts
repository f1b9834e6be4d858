// Connections of a real server through proxies: over TLS to the cluster, over a socket to the control plane. The targets
// exist behind the proxies only.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeClient, makeSelfSignedCa } from "@orch/http-server";
import { ConnectProxy } from "@orch/testing";
import { type RunningServer, startServer } from "../server/start-server";
import { type AdmissionWebhook, admissionWebhook } from "../testing/admission-webhook";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { type RemoteService, remoteService } from "../testing/remote-service";

const POD_IP = "10.1.2.3";
const NODE_IP = "10.9.9.9";
const EXTERNAL_NAME = "wardle.example";
const PODS = "/api/v1/namespaces/default/pods";
const REGISTRATION = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";

const folder = mkdtempSync(join(tmpdir(), "egress-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const pod = createServer((_request, response) => response.end("the pod"));
let remote: RemoteService;
let audit: RemoteService;
let hook: AdmissionWebhook;
let cluster: ConnectProxy;
let controlPlane: ConnectProxy;
let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => pod.listen(0, "127.0.0.1", resolve));
  remote = await remoteService((request, _body, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ kind: "APIResourceList", path: request.url }));
  });
  audit = await remoteService((_request, _body, response) => response.end());
  hook = await admissionWebhook();
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  const client = makeClient(authority.ca, { commonName: "api-server" });
  const remotePort = Number(new URL(remote.url).port);
  cluster = await ConnectProxy.listen({
    tls: {
      cert: authority.serving.certificate,
      key: authority.serving.key,
      ca: authority.ca.certificate,
      requestCert: true,
    },
    portOf: (target) => (target === `${POD_IP}:8080` ? portOf(pod) : remotePort),
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
  rmSync(folder, { recursive: true });
});

const status = (path: string, value: object) =>
  admin.ask("PATCH", `${path}/status`, {
    body: { status: value },
    headers: { "content-type": "application/merge-patch+json" },
  });

test("requests to a pod and to a kubelet pass through the proxy of the cluster", async () => {
  await admin.post("/api/v1/nodes", { metadata: { name: "n1" } });
  await status("/api/v1/nodes/n1", { addresses: [{ type: "InternalIP", address: NODE_IP }] });
  const containers = [{ name: "web", image: "web" }];
  await admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await admin.post(PODS, { metadata: { name: "web" }, spec: { nodeName: "n1", containers } });
  await status(`${PODS}/web`, { podIP: POD_IP, podIPs: [{ ip: POD_IP }] });
  expect((await admin.get(`${PODS}/web:8080/proxy/`)).text).toBe("the pod");
  expect((await admin.get(`${PODS}/web/log`)).text).toContain("/containerLogs/default/web/web");
  expect(cluster.targets).toEqual(expect.arrayContaining([`${POD_IP}:8080`, `${NODE_IP}:10250`]));
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

test("the issuer is asked through the selection that its configuration names", () => {
  expect(cluster.targets).toContain("issuer.example:443");
  expect(controlPlane.targets).not.toContain("issuer.example:443");
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
