// Users with read-only permissions cannot open connections or run actions by requests that look like reads.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeSelfSignedCa } from "@orch/http-server";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const RBAC = "/apis/rbac.authorization.orch.io/v1";

let server: RunningServer;
let agent: Server;
let admin: ApiClient;
let reached: string[] = [];

/** A client of a user with these cluster-wide rules. */
async function userWith(name: string, rules: readonly object[]): Promise<ApiClient> {
  await admin.post(`${RBAC}/clusterroles`, { metadata: { name }, rules });
  await admin.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.orch.io" }],
    roleRef: { kind: "ClusterRole", name, apiGroup: "rbac.authorization.orch.io" },
  });
  return new ApiClient(server, server.issueClient({ name }));
}

/** Status line of the answer to an upgrade request. */
const upgrade = (as: string, line: string) =>
  new Promise<string>((resolve, reject) => {
    const { certificate, key } = server.issueClient({ name: as });
    const socket = connect({ port: server.port, host: "127.0.0.1", ca: server.ca, cert: certificate, key }, () =>
      socket.write(`${line} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`),
    );
    socket.on("data", (piece) => {
      resolve(String(piece).split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });

beforeAll(async () => {
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  agent = createServer(
    { cert: authority.serving.certificate, key: authority.serving.key },
    ({ method, url }, response) => {
      reached.push(`${method} ${url}`);
      response.end("the agent");
    },
  );
  agent.on("upgrade", ({ method, url }, socket) => {
    reached.push(`${method} ${url}`);
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
  });
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  server = await startServer();
  admin = new ApiClient(server, server.admin);
  const { port } = agent.address() as AddressInfo;
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  const daemonEndpoints = { kubeletEndpoint: { Port: port } };
  await admin.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses, daemonEndpoints } });
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  await admin.post("/api/v1/namespaces/default/pods", { metadata: { name: "p1" }, spec });
}, 30_000);

afterAll(async () => {
  admin.close();
  await server.stop();
  agent.close();
});

const everything = { apiGroups: ["*"], resources: ["*"] };

describe("a user who may only watch", () => {
  let watcher: ApiClient;
  beforeAll(async () => {
    watcher = await userWith("watcher", [{ verbs: ["watch"], ...everything }]);
  });
  afterAll(() => watcher.close());

  test.each(["POST", "GET"])("opens no stream by %s on an old watch path", async (method) => {
    reached = [];
    const path = "/api/v1/watch/namespaces/default/pods/p1/exec?command=ls&stdout=1";
    expect(await upgrade("watcher", `${method} ${path}`)).toBe("HTTP/1.1 404 Not Found");
    expect(reached).toEqual([]);
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("reaches no node by %s on one", async (method) => {
    reached = [];
    expect((await watcher.ask(method, "/api/v1/watch/nodes/n1/proxy/pods")).code).toBe(404);
    expect(reached).toEqual([]);
  });

  test("reads no log on one", async () => {
    expect((await watcher.get("/api/v1/watch/namespaces/default/pods/p1/log")).code).toBe(404);
  });

  test("still watches by one", async () => {
    const watch = await watcher.watch("/api/v1/watch/namespaces/default/pods/p1");
    expect([watch.code, await watch.take(1)]).toEqual([200, ["ADDED p1"]]);
    watch.close();
  });
});

describe("a user who may only list", () => {
  let lister: ApiClient;
  beforeAll(async () => {
    lister = await userWith("lister", [{ verbs: ["list"], ...everything }]);
  });
  afterAll(() => lister.close());

  test.each(["exec?command=ls&stdout=1&", "attach?", "portforward?", "proxy/?"])(
    "opens no %s of a pod that is named by a selector",
    async (part) => {
      reached = [];
      const selector = "fieldSelector=metadata.name%3Dp1";
      const line = `GET /api/v1/namespaces/default/pods//${part}${selector}`;
      expect(await upgrade("lister", line)).toBe("HTTP/1.1 404 Not Found");
      expect(reached).toEqual([]);
    },
  );

  test("reads no log of one, and reaches no node", async () => {
    const selector = "fieldSelector=metadata.name%3Dp1";
    expect((await lister.get(`/api/v1/namespaces/default/pods//log?${selector}`)).code).toBe(404);
    reached = [];
    expect((await lister.get("/api/v1/nodes//proxy/pods?fieldSelector=metadata.name%3Dn1")).code).toBe(404);
    expect(reached).toEqual([]);
  });

  test("watches nothing", async () => {
    expect((await lister.get("/api/v1/namespaces/default/pods?watch=true")).code).toBe(403);
    expect((await lister.get("/api/v1/namespaces/default/pods?watch=0&watch=1")).code).toBe(200);
  });
});

test("an encoded slash makes no other resource", async () => {
  const user = await userWith("odd", [
    { verbs: ["*"], apiGroups: ["apps/v1"], resources: ["*"] },
    { verbs: ["*"], apiGroups: [""], resources: ["pods/exec"] },
  ]);
  await admin.post("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "d1" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  for (const path of [
    "/apis/apps%2Fv1/deployments/namespaces/default/scale/d1",
    "/apis/apps%2fv1/deployments/namespaces/default/status/d1",
    "/api/v1/namespaces/default/pods%2Flog/p1",
  ]) {
    expect([path, (await user.get(path)).code]).not.toEqual([path, 200]);
  }
  user.close();
});

test("a user who may read one object by name reads no other", async () => {
  const user = await userWith("narrow", [
    { verbs: ["list", "watch"], apiGroups: [""], resources: ["pods"], resourceNames: ["p1"] },
  ]);
  const selected = async (selector: string) => {
    const { code, json } = await user.get(`/api/v1/namespaces/default/pods?fieldSelector=${selector}`);
    return code === 200 ? json.items.map(({ metadata }) => metadata.name) : code;
  };
  expect(await selected("metadata.name%3Dp1")).toEqual(["p1"]);
  expect(await selected("metadata.name%3Dp1&fieldSelector=metadata.name%3Dp2")).toEqual(["p1"]);
  expect(await selected("metadata.name%3Dp2&fieldSelector=metadata.name%3Dp1")).toBe(403);
  expect(await selected("metadata.name!%3Dx")).toBe(403);
  expect(await selected("spec.nodeName%3Dx%5C,metadata.name%3Dp1")).toBe(403);
  user.close();
});

test("a path beside the resources is served by the letter that was authorized", async () => {
  const user = await userWith("below", [{ verbs: ["get"], nonResourceURLs: ["/metrics/*", "/healthz/*"] }]);
  expect((await user.get("/metrics/")).code).toBe(404);
  expect((await user.get("/metrics")).code).toBe(403);
  expect((await user.get("/version/")).code).toBe(200);
  user.close();
});
