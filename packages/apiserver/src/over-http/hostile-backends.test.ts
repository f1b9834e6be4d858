// A proxied request ends, and the client gets an answer, whatever the pod or kubelet does.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { makeSelfSignedCa } from "@orch/http-server";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, http2Get, openHttp2 } from "../testing/api-client";

const OUTER = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const NAMESPACE = "/api/v1/namespaces/default";

type Act = (socket: Socket) => void;

let folder: string;
let server: RunningServer;
let admin: ApiClient;
let backends: readonly [pod: Server, agent: Server];
let act: Act;
const open = new Set<Socket>();

function take(socket: Socket): void {
  open.add(socket);
  socket.on("close", () => open.delete(socket)).on("error", () => {});
  socket.once("data", () => act(socket));
}
const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;

beforeAll(async () => {
  if (OUTER === undefined) throw new Error("this machine has no address but its own: nothing can stand for a pod");
  folder = mkdtempSync(join(tmpdir(), "hostile-backends-"));
  const { ca, serving } = makeSelfSignedCa(["127.0.0.1"]);
  const authority = join(folder, "ca.crt");
  writeFileSync(authority, ca.certificate);
  const [pod, agent] = [createServer(take), createTlsServer({ cert: serving.certificate, key: serving.key }, take)];
  backends = [pod, agent];
  await once(pod.listen(0, OUTER), "listening");
  await once(agent.listen(0, "127.0.0.1"), "listening");
  // Connections are exempt from the request timeout; otherwise their requests would end for another reason.
  server = await startServer({ flags: { "nodeagent-certificate-authority": authority, "request-timeout": 1000 } });
  admin = new ApiClient(server, server.admin);
  const address = { type: "InternalIP", address: "127.0.0.1" };
  await admin.post("/api/v1/nodes", {
    metadata: { name: "near" },
    status: { addresses: [address], daemonEndpoints: { kubeletEndpoint: { Port: portOf(agent) } } },
  });
  const spec = { nodeName: "near", containers: [{ name: "web", image: "example/web" }] };
  const { json } = await admin.post(`${NAMESPACE}/pods`, { metadata: { name: "web" }, spec });
  const status = { phase: "Running", podIP: OUTER, podIPs: [{ ip: OUTER }] };
  await admin.put(`${NAMESPACE}/pods/web/status`, { ...json, status });
  const ports = [{ port: 80, targetPort: portOf(pod) }];
  await admin.post(`${NAMESPACE}/services`, { metadata: { name: "web" }, spec: { ports } });
  const addresses = [{ ip: OUTER, targetRef: { kind: "Pod", namespace: "default", name: "web" } }];
  const subsets = [{ addresses, ports: [{ port: portOf(pod) }] }];
  await admin.post(`${NAMESPACE}/endpoints`, { metadata: { name: "web" }, subsets });
}, 30_000);

afterAll(async () => {
  admin?.close();
  await server?.stop();
  for (const each of backends ?? []) each.close();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  // All requests and connections are closed.
  await until(async () => open.size === 0);
  await until(async () => {
    const metrics = await admin.get("/metrics");
    const lines = metrics.text.split("\n").filter((line) => line.startsWith("apiserver_longrunning_gauge{"));
    return lines.every((line) => line.endsWith(" 0"));
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await holds()); looks += 1) {
    if (looks > 400) throw new Error("something is left");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const UPGRADE = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello";

function endlessly(text: string): Act {
  const many = text.repeat(500);
  return (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(many));
      if (!socket.destroyed) socket.once("drain", more);
    };
    more();
  };
}

const HOSTILE: readonly (readonly [string, Act, string])[] = [
  ["an upgrade", (socket) => socket.write(UPGRADE), "it answered with an unrequested upgrade"],
  ["an upgrade, and closes", (socket) => socket.end(UPGRADE), "it answered with an unrequested upgrade"],
  ["hints without end", endlessly("HTTP/1.1 103 Early Hints\r\n\r\n"), "it announces an answer of unlimited length"],
  [
    "no more than that it reads",
    endlessly("HTTP/1.1 100 Continue\r\n\r\n"),
    "it announces an answer of unlimited length",
  ],
  ["nothing, and closes", (socket) => socket.end(), "socket hang up"],
  ["half a head", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-"), "socket hang up"],
];

describe.each([
  ["a pod", () => `${NAMESPACE}/pods/web:${portOf(backends[0])}/proxy/x`],
  ["a service", () => `${NAMESPACE}/services/web/proxy/x`],
  ["a node", () => "/api/v1/nodes/near/proxy/x"],
  ["a pod's log", () => `${NAMESPACE}/pods/web/log`],
])("a request to %s", (_whom, path) => {
  test.each(HOSTILE)("that is answered with %s fails", async (_what, hostile, why) => {
    act = hostile;
    const status = { kind: "Status", code: 503, message: `error trying to reach service: ${why}` };
    expect((await admin.get(path())).json).toMatchObject(status);
    const session = await openHttp2(server);
    expect(JSON.parse((await http2Get(session, path())).text)).toMatchObject(status);
    session.close();
  });

  test("that is answered with a head alone breaks off", async () => {
    act = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    await expect(admin.get(path())).rejects.toThrow();
    const session = await openHttp2(server);
    await expect(http2Get(session, path())).rejects.toThrow();
    session.close();
  });
});

test("an unread body does not block the next request", async () => {
  act = (socket) => socket.write(UPGRADE);
  const size = 8 * 1024 * 1024;
  const { certificate: cert, key } = server.admin;
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.ca, cert, key });
  socket.write(`POST ${NAMESPACE}/services/web/proxy/x HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
  socket.write(Buffer.alloc(size));
  socket.write("GET /api/v1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect((await text(socket)).match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 503", "HTTP/1.1 200"]);
});

test("a request over HTTP/2 that fails is over, though its client never ends it", async () => {
  act = (socket) => socket.write(UPGRADE);
  const session = await openHttp2(server);
  const stream = session.request({
    ":path": `${NAMESPACE}/services/web/proxy/x`,
    ":method": "POST",
    "content-length": "100",
  });
  stream.write("{");
  const closed = once(stream, "close");
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  let body = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    body += piece;
  });
  await closed;
  expect([headers[":status"], stream.rstCode, (JSON.parse(body) as { code: number }).code]).toEqual([503, 0, 503]);
  session.destroy();
});

test.each([
  ["hints without end", endlessly("HTTP/1.1 103 Early Hints\r\n\r\n")],
  ["nothing, and closes", (socket: Socket) => void socket.end()],
])("an upgrade that is answered with %s fails", async (_what, hostile) => {
  act = hostile;
  const headers = { connection: "upgrade", upgrade: "echo/1" };
  const { code } = await admin.get(`${NAMESPACE}/services/web/proxy/x`, { headers });
  expect(code).toBe(500);
});
