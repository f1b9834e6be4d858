// Connections through a real server to a kubelet and to pods, which are servers of the test. A pod address must be
// reachable for other machines, so one of this machine's outer addresses is used.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, request, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { makeClient, makeSelfSignedCa } from "@orch/http-server";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, http2Get, openHttp2 } from "../testing/api-client";
import { OPCODE, openWebSocket } from "../testing/web-socket-client";

const OUTER = outerAddress();
const PODS = "/api/v1/namespaces/default/pods";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly peer: string;
}

function outerAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("this machine has no address but its own: nothing can stand for a pod");
  return found.address;
}

let folder: string;
let server: RunningServer;
let admin: ApiClient;
let agent: Server;
let backend: ReturnType<typeof createPlainServer>;
let seen: Seen[];
let answer: Handler;
let upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const portOf = (listening: { address(): unknown }): number => (listening.address() as AddressInfo).port;

function note(incoming: IncomingMessage): void {
  const { method = "", url = "", headers, socket } = incoming;
  const peer = (socket as TLSSocket).getPeerCertificate?.()?.subject?.CN ?? "";
  seen.push({ method, url, headers, peer: String(peer) });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "connections-"));
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  const client = makeClient(authority.ca, { commonName: "the-server" });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  agent = createServer({
    cert: authority.serving.certificate,
    key: authority.serving.key,
    ca: authority.ca.certificate,
    requestCert: true,
  });
  backend = createPlainServer();
  for (const each of [agent, backend]) {
    each.on("request", (incoming, response) => {
      note(incoming);
      answer(incoming, response);
    });
    each.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      note(incoming);
      socket.on("error", () => {});
      upgrade(incoming, socket, head);
    });
  }
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => backend.listen(0, OUTER, resolve));
  server = await startServer({
    flags: {
      "nodeagent-certificate-authority": file("ca.crt", authority.ca.certificate),
      "nodeagent-client-certificate": file("client.crt", client.certificate),
      "nodeagent-client-key": file("client.key", client.key),
      "requestheader-client-ca-file": file("front.crt", authority.ca.certificate),
      "requestheader-username-headers": ["X-Remote-User", "X-Front-User"],
      "requestheader-group-headers": ["X-Front-Group"],
      "requestheader-extra-headers-prefix": ["X-Front-Extra-"],
    },
  });
  admin = new ApiClient(server, server.admin);
  await admin.post("/api/v1/nodes", {
    metadata: { name: "near" },
    status: {
      addresses: [
        { type: "InternalIP", address: "127.0.0.1" },
        { type: "ExternalIP", address: "192.0.2.99" },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: portOf(agent) } },
    },
  });
  await admin.post("/api/v1/nodes", { metadata: { name: "bare" } });
  const pod = async (name: string, spec: object, status?: object) => {
    const created = await admin.post(PODS, { metadata: { name }, spec });
    expect([created.code, created.text]).toEqual([201, expect.anything()]);
    if (status !== undefined) {
      const { code, text } = await admin.put(`${PODS}/${name}/status`, { ...created.json, status });
      expect([code, text]).toEqual([200, expect.anything()]);
    }
  };
  const one = (name: string, ports: readonly number[] = []) => ({
    name,
    image: "example/web",
    ports: ports.map((containerPort) => ({ containerPort })),
  });
  await pod("web", { nodeName: "near", containers: [one("web", [portOf(backend)])] }, running(OUTER));
  await pod("two", { nodeName: "near", containers: [one("a"), one("b")], initContainers: [one("i")] });
  await pod("on-sly", { nodeName: "sly", containers: [one("web")] });
  await pod("waiting", { containers: [one("web")] });
  await pod("lost", { nodeName: "gone", containers: [one("web")] });
  await pod("bare", { nodeName: "bare", containers: [one("web")] }, running("127.0.0.1"));
  const ports = [{ name: "http", port: 8080, targetPort: portOf(backend) }];
  await admin.post("/api/v1/namespaces/default/services", { metadata: { name: "web" }, spec: { ports } });
  const address = (ip: string, name: string) => ({ ip, targetRef: { kind: "Pod", namespace: "default", name } });
  await admin.post("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "web" },
    subsets: [
      {
        // Only the last one is an address of its pod.
        addresses: [address("192.0.2.77", "web"), { ip: "192.0.2.78" }, address(OUTER, "web")],
        ports: [{ name: "http", port: portOf(backend) }],
      },
    ],
  });
  await admin.post("/api/v1/namespaces/default/endpoints", { metadata: { name: "none" } });
  // Name resolution reads this address as 127.0.0.1, the address check as 177.0.0.1.
  await pod("sly", { nodeName: "near", containers: [one("web")] }, running("0177.0.0.1"));
  await admin.post("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "sly" },
    subsets: [{ addresses: [address("0177.0.0.1", "sly")], ports: [{ port: portOf(backend) }] }],
  });
}, 30_000);

const running = (ip: string) => ({ phase: "Running", podIP: ip, podIPs: [{ ip }] });

afterAll(async () => {
  admin?.close();
  await server?.stop();
  for (const each of [agent, backend]) {
    each.closeAllConnections();
    each.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  seen = [];
  answer = (_request, response) => response.end("fine");
  upgrade = (_request, socket) => socket.destroy();
});

describe("logs", () => {
  test("come from the node agent, which the server shows its certificate", async () => {
    answer = (_request, response) => response.end("one\ntwo\n");
    const query =
      "container=web&follow=true&previous=0&timestamps=1&sinceTime=2024-05-01T12:00:00%2B02:00&tailLines=0&limitBytes=5";
    const { code, text, headers } = await admin.get(`${PODS}/web/log?${query}`);
    expect([code, text, headers["content-type"]]).toEqual([200, "one\ntwo\n", "text/plain"]);
    expect(headers["audit-id"]).toBeDefined();
    expect(seen).toMatchObject([{ method: "GET", peer: "the-server" }]);
    expect(seen[0]?.headers.authorization).toBeUndefined();
    expect(onlyForTheServer()).toEqual([]);
    expect(seen[0]?.url).toBe(
      "/containerLogs/default/web/web?follow=true&timestamps=true&tailLines=0&limitBytes=5&sinceTime=2024-05-01T10%3A00%3A00Z",
    );
  });

  test("arrive as they are written, and end for the agent when the client leaves", async () => {
    let left: () => void = () => {};
    const clientLeft = new Promise<void>((resolve) => {
      left = resolve;
    });
    answer = (_request, response) => {
      response.write("first\n");
      response.on("close", left);
    };
    const sent = request(`${server.url}${PODS}/web/log?follow=true`, {
      ca: server.ca,
      cert: server.admin.certificate,
      key: server.admin.key,
    });
    sent.on("error", () => {});
    sent.end();
    const response = await new Promise<IncomingMessage>((resolve) => sent.on("response", resolve));
    const piece = await new Promise<Buffer>((resolve) => response.once("data", resolve));
    expect(piece.toString()).toBe("first\n");
    sent.destroy();
    await clientLeft;
  });

  test.each([
    ["", [OPCODE.binary, "", OPCODE.binary, "one\n", OPCODE.close, "\x03\xe8"]],
    ["base64.binary.orch.io", [OPCODE.text, "", OPCODE.text, "b25lCg==", OPCODE.close, "\x03\xe8"]],
  ])("go over a WebSocket that speaks %j, after an empty message", async (protocol, expected) => {
    answer = (_request, response) => response.end("one\n");
    const { code, next } = await openWebSocket(
      server,
      `${PODS}/web/log`,
      protocol === "" ? {} : { "sec-websocket-protocol": protocol },
    );
    expect(code).toBe(101);
    const heard: unknown[] = [];
    for (let message = await next(); message !== undefined; message = await next()) {
      heard.push(message.opcode, message.payload.toString("latin1"));
    }
    expect(heard).toEqual(expected);
  });

  test("that cannot be had are refused before there is a WebSocket", async () => {
    expect((await openWebSocket(server, `${PODS}/nobody/log`)).code).toBe(404);
  });

  test("go over HTTP/2 too", async () => {
    answer = (_request, response) => response.end("of two\n");
    const session = await openHttp2(server);
    expect(await http2Get(session, `${PODS}/web/log`)).toMatchObject({ code: 200, text: "of two\n" });
    session.close();
  });

  test.each<[string, string, number, string]>([
    ["a container that the pod has not", "web/log?container=db", 400, "container db is not valid for pod web"],
    [
      "several to choose from",
      "two/log",
      400,
      "a container name must be specified for pod two, choose one of: [a b i]",
    ],
    ["a pod that is not there", "nobody/log", 404, 'pods "nobody" not found'],
    ["a node that is not there", "lost/log", 404, 'nodes "gone" not found'],
    ["a node without address", "bare/log", 500, "no preferred addresses found; known addresses: []"],
    [
      "a negative number of lines",
      "web/log?tailLines=-1",
      422,
      'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      "no bytes",
      "web/log?limitBytes=0",
      422,
      'PodLogOptions "web" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    ],
  ])("are refused: %s", async (_why, path, code, message) => {
    const { json } = await admin.get(`${PODS}/${path}`);
    expect(json).toMatchObject({ kind: "Status", code, message });
    expect(seen).toEqual([]);
  });

  test("logs of an unscheduled pod are empty", async () => {
    expect(await admin.get(`${PODS}/waiting/log`)).toMatchObject({ code: 204, text: "" });
  });

  test.each<[number, string, object]>([
    [500, "broken", { code: 500, reason: "InternalError", message: "Internal error occurred: broken" }],
    [400, "no such log", { code: 400, reason: "BadRequest", message: "no such log" }],
    [404, "no pod", { code: 404, reason: "NotFound", message: "no pod" }],
    [302, "", { code: 500, message: "redirects forbidden" }],
  ])("failing with %d at the agent fail as a Status", async (code, text, status) => {
    answer = (_request, response) => response.writeHead(code, { Location: "https://example.com/" }).end(text);
    expect((await admin.get(`${PODS}/web/log`)).json).toMatchObject({ kind: "Status", ...status });
  });
});

/** Cookies of the server's name, and front proxy headers that identify a user. */
const ONLY_FOR_THE_SERVER = {
  Cookie: "session=secret",
  "X-Remote-User": "admin",
  "x-remote-group": "system:masters",
  X_Remote_Uid: "1",
  "X-Remote-Extra-Scopes": "all",
  "X-Front-User": "admin",
  "X-Front-Group": "system:masters",
  "X-Front-Extra-Scopes": "all",
};
const onlyForTheServer = () =>
  seen.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^cookie|^x[-_](?:remote|front)/.test(name));

describe("proxying", () => {
  test.each([`${PODS}/web/proxy/`, "/api/v1/namespaces/default/services/web:http/proxy/", "/api/v1/nodes/near/proxy/"])(
    "%s keeps cookies and what a front proxy tells of users to itself",
    async (path) => {
      expect((await admin.get(path, { headers: ONLY_FOR_THE_SERVER })).code).toBe(200);
      expect(seen).toHaveLength(1);
      expect(onlyForTheServer()).toEqual([]);
    },
  );

  const pod = `${PODS}/web/proxy`;

  test("passes method, path, query, head and body on, and what came back", async () => {
    answer = (incoming, response) => {
      response.writeHead(418, {
        "X-Own": ["yes", "indeed"],
        "Access-Control-Allow-Origin": "*",
        "Content-Type": "text/plain",
      });
      incoming.pipe(response);
    };
    const { code, text, headers } = await admin.ask("PATCH", `${pod}/a%2Fb/c/?x=1&y=%20`, {
      body: "body",
      headers: {
        "X-Asked": "no",
        Authorization: "Bearer t",
        "Impersonate-User": "jane",
        "impersonate-group": "system:masters",
        "Impersonate-Extra-a%2Fb": "c",
        ...ONLY_FOR_THE_SERVER,
        Connection: "X-Hop",
        "X-Hop": "1",
        "X-Forwarded-For": "1.2.3.4",
      },
    });
    expect([code, text]).toEqual([418, "body"]);
    expect(headers).toMatchObject({ "x-own": "yes, indeed", "content-type": "text/plain" });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(seen).toMatchObject([{ method: "PATCH", url: "/a%2Fb/c/?x=1&y=%20" }]);
    expect(seen[0]?.headers).toMatchObject({
      "x-asked": "no",
      "content-length": "4",
      "x-forwarded-for": "1.2.3.4, 127.0.0.1",
      "x-forwarded-uri": `${pod}/a%2Fb/c/`,
      "x-forwarded-host": `127.0.0.1:${server.port}`,
      "x-forwarded-proto": "https",
    });
    expect(seen[0]?.headers.authorization).toBeUndefined();
    expect(seen[0]?.headers["x-hop"]).toBeUndefined();
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith("impersonate"))).toEqual([]);
  });

  test.each(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("takes %s", async (method) => {
    expect(await admin.ask(method, `${pod}/x`)).toMatchObject({ code: 200, text: method === "HEAD" ? "" : "fine" });
    expect(seen).toMatchObject([{ method, url: "/x" }]);
  });

  test("a proxied body in chunks requires no Content-Length", async () => {
    answer = (incoming, response) => incoming.pipe(response);
    const sent = await admin.ask("POST", `${pod}/`, { body: "in chunks", headers: { "transfer-encoding": "chunked" } });
    expect(sent.text).toBe("in chunks");
    expect(seen[0]?.headers["transfer-encoding"]).toBe("chunked");
  });

  test.each<[string, string]>([
    ["a pod's port", `${PODS}/web:{port}/proxy/`],
    ["a pod's port and scheme", `${PODS}/http:web:{port}/proxy/`],
    ["a service", "/api/v1/namespaces/default/services/web:http/proxy/"],
    ["a service by number", "/api/v1/namespaces/default/services/http:web:8080/proxy/"],
    ["a node's agent", "/api/v1/nodes/near/proxy/"],
    ["a node's agent by port", "/api/v1/nodes/near:{agent}/proxy/"],
  ])("reaches %s", async (_what, path) => {
    const real = path.replace("{port}", String(portOf(backend))).replace("{agent}", String(portOf(agent)));
    expect(await admin.get(real)).toMatchObject({ code: 200, text: "fine" });
    expect(seen).toMatchObject([{ url: "/", peer: path.includes("nodes") ? "the-server" : "" }]);
  });

  test.each<[string, string, number, string]>([
    ["a scheme that is none", `${PODS}/ftp:web:80/proxy/`, 400, 'invalid pod request "ftp:web:80"'],
    ["too many parts", "/api/v1/nodes/a:b:c:d/proxy/", 400, 'invalid node request "a:b:c:d"'],
    [
      "an endpoint that there is not",
      "/api/v1/namespaces/default/services/none/proxy/",
      503,
      'no endpoints available for service "none"',
    ],
    [
      "a port that the service has not",
      "/api/v1/namespaces/default/services/web:9/proxy/",
      503,
      'no service port 9 found for service "web"',
    ],
    [
      "the server's own machine in disguise, through a service",
      "/api/v1/namespaces/default/services/sly/proxy/",
      503,
      'no endpoints available for service "sly"',
    ],
    ["the server's own machine in disguise", `${PODS}/sly:80/proxy/`, 400, "address not allowed"],
    ["the server's own machine", `${PODS}/bare:80/proxy/`, 400, "address not allowed"],
    ["another port of that machine", "/api/v1/nodes/near:80/proxy/", 400, "address not allowed"],
    ["a pod without address", `${PODS}/waiting:80/proxy/`, 400, "address not allowed"],
    ["a dry run", `${PODS}/web/proxy/?dryRun=All`, 400, "dryRun is not supported"],
    ["a closed port", `${PODS}/web:9/proxy/`, 503, `error trying to reach service: connect ECONNREFUSED ${OUTER}:9`],
  ])("is refused: %s", async (_why, path, code, message) => {
    expect((await admin.get(path)).json).toMatchObject({ kind: "Status", code, message });
  });

  test("without a path leads to the path that ends in a slash", async () => {
    const { code, headers } = await admin.get(`${pod}?x=1`);
    expect([code, headers.location]).toEqual([301, `${pod}/?x=1`]);
  });

  test("keeps redirects and links of pages within the proxy", async () => {
    const page = `<html><a href="/next">n</a> <img src='/i.png'><script>"<a href='/no'>"</script><a href=rel></html>`;
    answer = (incoming, response) => {
      if (incoming.url === "/go") response.writeHead(302, { Location: "/next/" }).end();
      else response.writeHead(200, { "Content-Type": "text/html", "Content-Encoding": "gzip" }).end(gzipSync(page));
    };
    expect((await admin.get(`${pod}/go`)).headers.location).toBe(`${pod}/next/`);
    const { bytes } = await admin.get(`${pod}/`);
    expect(gunzipSync(bytes).toString()).toBe(
      `<html><a href="${pod}/next">n</a> <img src='${pod}/i.png'><script>"<a href='/no'>"</script><a href=rel></html>`,
    );
  });

  const CSP = "default-src 'self'; report-uri /api/v1/nodes; Report-To all; img-src *";

  test("brings nothing back that speaks for the server itself", async () => {
    answer = (_request, response) => {
      response.writeHead(200, [
        ...["Audit-Id", "forged", "Strict-Transport-Security", "max-age=63072000; includeSubDomains; preload"],
        ...["Set-Cookie", "session=evil; Path=/", "Set-Cookie", "other=evil; Path=/", "Clear-Site-Data", '"*"'],
        ...[
          "Public-Key-Pins",
          'pin-sha256="x"; max-age=5184000',
          "Alt-Svc",
          'h2="evil.example:443"',
          "Refresh",
          "0; url=//evil.example/",
        ],
        ...["Service-Worker-Allowed", "/", "WWW-Authenticate", 'Basic realm="the API server"', "Report-To", "{}"],
        ...["Access-Control-Allow-Origin", "https://evil.example", "Access-Control-Expose-Headers", "*"],
        ...["Cross-Origin-Opener-Policy", "same-origin", "Warning", '299 - "please send your token to evil.example"'],
        ...["Content-Type", "text/html; charset=utf-8", "Content-Security-Policy", CSP, "X-Own", "1"],
        ...["Content-Security-Policy-Report-Only", "default-src 'none'; report-uri /api/v1/nodes"],
        ...["SourceMap", "/api/v1/secrets", "X-SourceMap", "/api/v1/secrets", "Speculation-Rules", '"/api/v1/rules"'],
        ...["ETag", '"a"', "Cache-Control", "max-age=60", "Link", "</s.css>; rel=preload, </2>; rel=next"],
      ]);
      response.end("fine");
    };
    const { headers } = await admin.get(`${pod}/`, { headers: { "audit-id": "mine" } });
    const { date, connection, "keep-alive": _, "transfer-encoding": __, ...kept } = headers;
    expect([typeof date, typeof connection]).toEqual(["string", "string"]);
    expect(kept).toEqual({
      "audit-id": "mine",
      "cache-control": "max-age=60",
      "content-type": "text/html; charset=utf-8",
      // Node.js joins the two headers.
      "content-security-policy":
        "default-src 'self'; img-src *, sandbox allow-downloads allow-forms allow-modals allow-scripts",
      etag: '"a"',
      link: `<${pod}/2>; rel=next`,
      "x-own": "1",
    });
  });

  test("is told the host that the client asked for, in whatever form", async () => {
    const raw = (line: string, host: string) =>
      new Promise<void>((resolve, reject) => {
        const { certificate: cert, key } = server.admin;
        const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.ca, cert, key }, () =>
          socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        );
        socket
          .on("close", () => resolve())
          .on("error", reject)
          .resume();
      });
    await raw(`GET https://api.example:1${pod}/x?y=1`, "other.example");
    await raw(`GET ${pod}/x?y=1`, "other.example");
    expect(seen.map(({ url, headers }) => [url, headers.host, headers["x-forwarded-host"]])).toEqual([
      ["/x?y=1", "api.example:1", "api.example:1"],
      ["/x?y=1", "other.example", "other.example"],
    ]);
  });

  test("goes over HTTP/2", async () => {
    const session = await openHttp2(server);
    expect(await http2Get(session, `${pod}/x`)).toMatchObject({ code: 200, text: "fine" });
    session.close();
    expect(seen[0]?.headers["x-forwarded-host"]).toBe(`127.0.0.1:${server.port}`);
  });

  test("breaks off where the target does", async () => {
    answer = (_request, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("part", () => response.destroy());
    };
    await expect(admin.get(`${pod}/`)).rejects.toThrow(/aborted/);
  });
});

test("logs are counted by the verification of the kubelet's certificate, and failures of it", async () => {
  const figure = async (name: string) => {
    const { text } = await admin.get("/metrics");
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(name))
        ?.split(" ")
        .pop() ?? 0,
    );
  };
  const READ = 'kube_apiserver_pod_logs_pods_logs_insecure_backend_total{usage="skip_tls_allowed"}';
  const FAILED = "kube_apiserver_pod_logs_pods_logs_backend_tls_failure_total";
  expect([await figure(READ), await figure(FAILED)]).toEqual([0, 0]);
  const addresses = [{ type: "InternalIP", address: "localhost" }];
  const daemonEndpoints = { kubeletEndpoint: { Port: portOf(agent) } };
  await admin.post("/api/v1/nodes", { metadata: { name: "sly" }, status: { addresses, daemonEndpoints } });
  expect((await admin.get(`${PODS}/on-sly/log`)).code).toBe(503);
  answer = (_, response) => void response.end("a line\n");
  expect((await admin.get(`${PODS}/on-sly/log?insecureSkipTLSVerifyBackend=true`)).text).toBe("a line\n");
  await admin.delete("/api/v1/nodes/sly");
  // Scrapes may be one second old.
  while ((await figure(READ)) !== 1) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await figure(FAILED)).toBe(1);
});

describe("an address of the API itself is not connected to", () => {
  const NODES = "/api/v1/nodes";
  const status = (address: string, Port: number) => ({
    addresses: [{ type: "InternalIP", address }],
    daemonEndpoints: { kubeletEndpoint: { Port } },
  });

  test.each(["127.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1", "localhost", "127.1", "2130706433"])(
    "a node that registers its agent at %s",
    async (address) => {
      await admin.post(NODES, { metadata: { name: "sly" }, status: status(address, server.port) });
      for (const path of ["api/v1/secrets", "metrics"]) {
        const { code, text } = await admin.get(`${NODES}/sly/proxy/${path}`);
        expect([code, text]).toEqual([expect.any(Number), expect.stringContaining("is this API server itself")]);
        expect([400, 503]).toContain(code);
      }
      const log = await admin.get(`${PODS}/on-sly/log`);
      expect([log.code, log.text]).toEqual([expect.any(Number), expect.stringContaining("is this API server itself")]);
      await admin.delete(`${NODES}/sly`);
    },
  );

  test.each(["169.254.169.254", "0.0.0.0", "fd00:ec2::254"])("nor is %s, of no machine", async (address) => {
    await admin.post(NODES, { metadata: { name: "sly" }, status: status(address, 80) });
    const { code, json } = await admin.get(`${NODES}/sly/proxy/latest`);
    expect([code, json.message]).toEqual([400, expect.stringContaining("not the address of a single other machine")]);
    await admin.delete(`${NODES}/sly`);
  });

  test("a pod, an endpoint of a service, or another port of a node", async () => {
    const outside = await startServer({ flags: { "bind-address": "0.0.0.0" } });
    const root = new ApiClient(outside, outside.admin);
    const containers = [{ name: "web", image: "example/web" }];
    const { json } = await root.post(PODS, { metadata: { name: "sly" }, spec: { containers } });
    await root.put(`${PODS}/sly/status`, { ...json, status: running(OUTER) });
    await root.post("/api/v1/namespaces/default/endpoints", {
      metadata: { name: "sly" },
      subsets: [
        {
          addresses: [{ ip: OUTER, targetRef: { kind: "Pod", namespace: "default", name: "sly" } }],
          ports: [{ port: outside.port }],
        },
      ],
    });
    await root.post(NODES, { metadata: { name: "sly" }, status: status(OUTER, 10250) });
    for (const path of [
      `${PODS}/https:sly:${outside.port}/proxy/api`,
      "/api/v1/namespaces/default/services/https:sly:/proxy/api",
      `${NODES}/https:sly:${outside.port}/proxy/api`,
    ]) {
      const { code, json: refused } = await root.get(path);
      expect([path, code, refused.message]).toEqual([path, 400, expect.stringContaining("is this API server itself")]);
    }
    root.close();
    await outside.stop();
  });

  test.each(["127.0.0.1", "[::ffff:127.0.0.1]", "localhost"])("a webhook at %s", async (host) => {
    const path = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";
    await admin.post(path, {
      metadata: { name: "sly" },
      webhooks: [
        {
          name: "sly.example.com",
          clientConfig: { url: `https://${host}:${server.port}/api` },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["limitranges"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    const { code, json } = await admin.post("/api/v1/namespaces/default/limitranges", {
      metadata: { name: "x" },
      spec: { limits: [] },
    });
    expect([code, json.message]).toEqual([500, expect.stringContaining("is this API server itself")]);
    await admin.delete(`${path}/sly`);
  });
});

describe("upgrades", () => {
  interface Upgraded {
    readonly answer: IncomingMessage;
    readonly socket: Socket;
    readonly head: Buffer;
  }

  /** @param as undefined: anonymous */
  function ask(path: string, as: typeof server.admin | undefined): Promise<Upgraded | IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(server.url + path, {
        method: "POST",
        ca: server.ca,
        ...(as === undefined ? {} : { cert: as.certificate, key: as.key }),
        agent: false,
        headers: {
          ...ONLY_FOR_THE_SERVER,
          ...{ Connection: "Upgrade", Upgrade: "echo/1", "X-Stream-Protocol-Version": "v4.example" },
        },
      });
      sent.on("upgrade", (answer, socket, head) => resolve({ answer, socket: socket as Socket, head }));
      sent.on("response", resolve);
      sent.on("error", reject);
      sent.end();
    });
  }

  const upgraded = async (path: string): Promise<Upgraded> => {
    const result = await ask(path, server.admin);
    if (!("socket" in result && "head" in result))
      throw new Error(`refused: ${(result as IncomingMessage).statusCode}`);
    return result;
  };

  const status = async (result: Upgraded | IncomingMessage): Promise<unknown> => {
    const pieces: Buffer[] = [];
    for await (const piece of result as IncomingMessage) pieces.push(piece as Buffer);
    return JSON.parse(Buffer.concat(pieces).toString());
  };

  const echo = (_request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nX-Agent: 1\r\n\r\nhello ",
    );
    socket.write(head);
    socket.pipe(socket);
  };

  test("become one connection, both ways, until one side ends", async () => {
    upgrade = echo;
    const query = "command=cat&command=-n&stdin=true&stdout=1&stderr=0&tty=false&container=web";
    const { answer: head, socket, head: early } = await upgraded(`${PODS}/web/exec?${query}`);
    expect(head.headers).toMatchObject({ upgrade: "echo/1", "x-agent": "1" });
    expect(seen).toMatchObject([
      { method: "POST", url: "/exec/default/web/web?input=1&output=1&command=cat&command=-n", peer: "the-server" },
    ]);
    expect(seen[0]?.headers).toMatchObject({ upgrade: "echo/1", "x-stream-protocol-version": "v4.example" });
    expect(onlyForTheServer()).toEqual([]);
    const large = Buffer.alloc(4 * 1024 * 1024, "x");
    let text = early.toString();
    let bytes = early.length;
    const all = new Promise<void>((resolve) => {
      socket.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (text.length < 100) text += piece.toString();
        if (bytes === "hello ".length + large.length) resolve();
      });
    });
    socket.write(large);
    await all;
    expect(text).toMatch(/^hello xxx/);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.end();
    await closed;
  });

  test("bring nothing back that speaks for the server itself", async () => {
    upgrade = (_request, socket) =>
      void socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nSet-Cookie: a=b; Path=/\r\n" +
          "Strict-Transport-Security: max-age=1\r\nAudit-Id: forged\r\nX-Agent: 1\r\n\r\n",
      );
    const { answer: head, socket } = await upgraded(`${PODS}/web/exec?command=ls&stdout=1`);
    socket.destroy();
    expect(head.headers).toEqual({ connection: "Upgrade", upgrade: "echo/1", "x-agent": "1" });
    upgrade = (_request, socket) =>
      void socket.end("HTTP/1.1 403 Forbidden\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n");
    const refused = (await ask(`${PODS}/web/exec?command=ls&stdout=1`, server.admin)) as IncomingMessage;
    refused.resume();
    expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test.each<[string, string]>([
    ["attach?stdout=true", "/attach/default/web/web?output=1"],
    ["portforward", "/portForward/default/web"],
    ["portforward?ports=80&ports=443", "/portForward/default/web?port=80%2C443"],
  ])("an upgrade of %s is forwarded to the agent's path", async (path, expected) => {
    upgrade = echo;
    const { socket } = await upgraded(`${PODS}/web/${path}`);
    socket.destroy();
    expect(seen.map(({ url }) => url)).toEqual([expected]);
  });

  test("end for the client when the agent goes away", async () => {
    let gone: Duplex | undefined;
    upgrade = (incoming, socket, head) => {
      gone = socket;
      echo(incoming, socket, head);
    };
    const { socket } = await upgraded(`${PODS}/web/attach`);
    socket.resume();
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.on("close", resolve));
    gone?.destroy();
    await closed;
  });

  test("are what exec, attach and portforward need", async () => {
    expect((await admin.post(`${PODS}/web/exec?command=ls`, "")).json).toMatchObject({
      code: 400,
      message: "Upgrade request required",
    });
  });

  test.each<[string, string, object]>([
    [
      "a pod that runs nowhere",
      "waiting/exec?command=a",
      { code: 400, message: "pod waiting does not have a host assigned" },
    ],
    [
      "a container that is not there",
      "web/exec?container=no",
      { code: 400, message: "container no is not valid for pod web" },
    ],
    ["a dry run", "web/attach?dryRun=All", { code: 400, message: "dryRun is not supported" }],
  ])("are refused as other requests: %s", async (_why, path, expected) => {
    expect(await status(await ask(`${PODS}/${path}`, server.admin))).toMatchObject({ kind: "Status", ...expected });
    expect(seen).toEqual([]);
  });

  test("need leave", async () => {
    expect(await status(await ask(`${PODS}/web/exec?command=a`, undefined))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: expect.stringContaining('cannot create resource "pods/exec"'),
    });
    expect(seen).toEqual([]);
  });

  test("that the agent refuses bring its answer", async () => {
    upgrade = (_request, socket) => socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\nX-Why: 1\r\n\r\nno!");
    const refused = (await ask(`${PODS}/web/exec`, server.admin)) as IncomingMessage;
    expect([refused.statusCode, refused.headers["x-why"]]).toEqual([403, "1"]);
    upgrade = (_request, socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const wrong = await status(await ask(`${PODS}/web/exec`, server.admin));
    expect(wrong).toMatchObject({ code: 500, message: "invalid upgrade response: status code 200" });
    upgrade = (_request, socket) => socket.destroy();
    expect(await status(await ask(`${PODS}/web/exec`, server.admin))).toMatchObject({
      code: 500,
      message: expect.stringMatching(/^error dialing backend: /),
    });
  });

  test("are not needed elsewhere: such requests are answered as all others", async () => {
    const listed = (await ask("/api/v1/namespaces/default/pods/web/status", server.admin)) as IncomingMessage;
    expect(listed.statusCode).toBe(405);
  });

  test("are counted", async () => {
    const { text } = await admin.get("/metrics");
    const lines = text.split("\n").filter((line) => line.includes('subresource="exec"') && line.includes('code="101"'));
    expect(lines.join("\n")).toContain('verb="CONNECT"');
    expect(text).toMatch(/apiserver_longrunning_gauge\{[^}]*subresource="exec"[^}]*\} 0/);
  });
});

test("discovery lists the connections", async () => {
  const { json } = await admin.get("/api/v1");
  const of = (name: string) => json.resources.find((each) => each.name === name);
  expect(of("pods/exec")).toMatchObject({ kind: "PodExecOptions", namespaced: true, verbs: ["create", "get"] });
  expect(of("pods/log")).toMatchObject({ kind: "Pod", verbs: ["get"] });
  expect(of("nodes/proxy")).toMatchObject({
    kind: "NodeProxyOptions",
    namespaced: false,
    verbs: ["create", "delete", "get", "patch", "update"],
  });
});
