// Requests to a hostile aggregated API server are answered, and other requests are served.
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect as connectTls, createServer, type Server, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient, http2Get, openHttp2 } from "../testing/api-client";
import {
  localService,
  type ProxyFiles,
  proxyFiles,
  REGISTRATIONS,
  registration,
  SERVICES,
} from "../testing/extension-servers";

const GROUP = "lies.example.com";
const PATH = `${REGISTRATIONS}/v1.${GROUP}`;
const THINGS = `/apis/${GROUP}/v1/things`;
const HOST = "lies.default.svc";

let files: ProxyFiles;
let front: RunningServer;
let admin: ApiClient;
let backend: Server;
/** Request headers as received, without those of the aggregator's availability checks. */
let heads: string[] = [];
let peers: string[] = [];
const open = new Set<Socket>();

/** Answers a request, given its headers; later bytes are passed to `more`. */
type Act = (socket: TLSSocket, head: string, rest: Buffer) => void;
const LIST = JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion: `${GROUP}/v1`, resources: [] });
const answer = (body: string, head = "HTTP/1.1 200 OK\r\nContent-Type: application/json") =>
  `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const honest: Act = (socket) => void socket.write(answer(LIST));
let act: Act = honest;
/** Answers the requests of the aggregator itself. */
let toFront: Act = honest;

beforeAll(async () => {
  files = proxyFiles(HOST);
  const { certificate: cert, key } = files.serving;
  backend = createServer({ cert, key, ca: files.authority.certificate, requestCert: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    let text = Buffer.alloc(0);
    socket.on("data", (piece: Buffer) => {
      // The action has taken over the socket.
      if (socket.listenerCount("data") > 1) return;
      text = Buffer.concat([text, piece]);
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = text.subarray(0, end).toString("latin1");
      const rest = text.subarray(end + 4);
      text = Buffer.alloc(0);
      if (/^X-Remote-User: system:(orch-)?aggregator$/m.test(head)) return toFront(socket, head, rest);
      if (/^(GET|POST|PUT|DELETE|HEAD|OPTIONS) /.test(head)) {
        heads.push(head);
        peers.push(String(socket.getPeerCertificate().subject.CN));
        act(socket, head, rest);
      }
    });
  });
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  front = await startServer({
    flags: { ...files.front, "request-timeout": 1500, "requestheader-username-headers": ["Acme-User"] },
  });
  admin = new ApiClient(front, front.admin);
  await admin.post(SERVICES, localService("lies"));
});
afterAll(async () => {
  admin.close();
  for (const socket of open) socket.destroy();
  await front.stop();
  backend.close();
  files.remove();
});
afterEach(async () => {
  act = honest;
  toFront = honest;
  heads = [];
  peers = [];
  // Other requests are not affected.
  expect((await admin.get("/api/v1/namespaces/default")).code).toBe(200);
});

async function until(path: string, holds: (found: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const found = await admin.get(path);
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const reasonOf = ({ json }: Answer): string =>
  (json.status as unknown as { conditions?: readonly { readonly reason: string }[] })?.conditions?.[0]?.reason ?? "";

const port = () => (backend.address() as AddressInfo).port;

async function register(): Promise<void> {
  const caBundle = Buffer.from(files.authority.certificate).toString("base64");
  await admin.delete(PATH);
  await until(PATH, ({ code }) => code === 404);
  const { code } = await admin.post(
    REGISTRATIONS,
    registration(GROUP, { service: "lies", port: port(), spec: { caBundle } }),
  );
  expect(code).toBe(201);
}

describe("a registered aggregated API server", () => {
  beforeAll(async () => {
    await register();
    await until(PATH, (found) => reasonOf(found) === "Passed");
  });

  test("hears who asks from the front alone, which shows its certificate", async () => {
    const ann = new ApiClient(front, front.issueClient({ name: "ann é", groups: ["system:masters", "a, b"] }));
    const headers = {
      "X-Remote-User": "root",
      x_remote_user: "root",
      "X-Remote-Extra-A": "b",
      "Acme-User": "root",
      acme_user: "root",
      Authorization: "Basic x",
      Impersonat: "x",
      "X-Forwarded-For": "192.0.2.1",
      Connection: "x-remote-group, keep-alive",
      Upgrade: "h2c",
      TE: "trailers",
    };
    expect((await ann.get(`${THINGS}?a=b`, { headers })).text).toBe(LIST);
    ann.close();
    const [head = ""] = heads;
    const lines = head
      .split("\r\n")
      .filter((line) => /remote|acme|auth|host|te:|upgrade:/i.test(line))
      .sort();
    expect(head).toMatch(new RegExp(`^GET ${THINGS.replaceAll(".", "\\.")}\\?a=b HTTP/1.1`));
    expect(lines).toEqual([
      `Host: ${HOST}`,
      expect.stringMatching(/^X-Forwarded-Host: 127.0.0.1:\d+$/),
      "X-Remote-Group: a, b",
      "X-Remote-Group: system:authenticated",
      "X-Remote-Group: system:masters",
      `X-Remote-User: ${Buffer.from("ann é").toString("latin1")}`,
    ]);
    expect(peers).toEqual(["front-proxy"]);
  });

  test("hears of the user that is meant, and not that another has asked for it", async () => {
    const headers = {
      "Impersonate-User": "ann é",
      "impersonate-group": "system:masters",
      "Impersonate-Uid": "7",
      "Impersonate-Extra-acme.com%2Fproject": "p",
    };
    // The client writes one byte per character.
    headers["Impersonate-User"] = Buffer.from("ann é").toString("latin1");
    expect((await admin.get(THINGS, { headers })).text).toBe(LIST);
    // The server refuses to upgrade, but has received the same headers.
    await admin.get(THINGS, { headers: { ...headers, connection: "upgrade", upgrade: "echo/1" } });
    expect(heads).toHaveLength(2);
    for (const head of heads) {
      expect(head).not.toMatch(/impersonate/i);
      const lines = head.split("\r\n").filter((line) => /remote/i.test(line));
      expect(lines.sort()).toEqual([
        "X-Remote-Extra-acme.com%2Fproject: p",
        "X-Remote-Group: system:authenticated",
        "X-Remote-Group: system:masters",
        "X-Remote-Uid: 7",
        `X-Remote-User: ${Buffer.from("ann é").toString("latin1")}`,
      ]);
    }
  });

  test("hears nothing by the headers that another replica, or a former one, has published", async () => {
    const info = "/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication";
    const { json } = await admin.get(info);
    const data = {
      ...json.data,
      "requestheader-username-headers": '["Other-User",""]',
      "requestheader-extra-headers-prefix": '["Other-Extra-",""]',
    };
    expect((await admin.put(info, { ...json, data })).code).toBe(200);
    const headers = { "Other-User": "root", other_extra_a: "b", "Acme-User": "root", "X-Plain": "c" };
    do {
      heads = [];
      expect((await admin.get(THINGS, { headers })).code).toBe(200);
    } while (/other/i.test(heads[0] ?? ""));
    expect(heads[0]).toMatch(/^X-Plain: c$/m);
    expect(heads[0]).not.toMatch(/acme/i);
  });

  test("is not told of a user whom a header would make another", async () => {
    const sly = new ApiClient(front, front.issueClient({ name: "sly", groups: ["system:masters", " system:nodes"] }));
    const { code, json } = await sly.get(THINGS);
    sly.close();
    expect([code, json.message]).toEqual([500, expect.stringContaining("cannot be represented")]);
    expect(heads).toEqual([]);
  });

  const unreachable = {
    kind: "Status",
    reason: "ServiceUnavailable",
    message: expect.stringContaining("error trying to reach service: "),
  };

  test.each<[string, Act]>([
    ["no HTTP at all", (socket) => void socket.end("220 mail.example.com ESMTP\r\n")],
    ["a status line without an end", (socket) => void socket.end(`HTTP/1.1 2${"0".repeat(100_000)}`)],
    [
      "headers without an end",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", () => `X-A: ${"a".repeat(8000)}\r\n`, 0),
    ],
    [
      "a hundred thousand headers",
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${"a:b\r\n".repeat(100_000)}\r\n`),
    ],
    ["nothing, and closes", (socket) => void socket.end()],
    ["a connection that ends in the middle of nothing", (socket) => void socket.destroy()],
    ["a head that breaks off", (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Type: app")],
    [
      "two lengths",
      (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ],
    [
      "a length and chunks",
      (socket) =>
        void socket.write(
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        ),
    ],
    ["a status that there is not", (socket) => void socket.write(answer("", "HTTP/1.1 099 No"))],
    [
      "an upgrade that nobody asked for",
      (socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nxx"),
    ],
  ])("answers with %s", async (_what, hostile) => {
    act = hostile;
    const { code, json } = await admin.get(THINGS);
    expect([code, json]).toEqual([503, expect.objectContaining(unreachable)]);
    act = honest;
    expect((await admin.get(THINGS)).code).toBe(200);
  });

  test("drips its head, or its body: not for longer than requests may take", async () => {
    act = (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", () => "X: y\r\n", 50);
    expect((await admin.get(THINGS)).json).toMatchObject({ reason: "Timeout", code: 504 });
    act = (socket) => drip(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", () => "1\r\na\r\n", 50);
    await expect(admin.get(THINGS)).rejects.toThrow();
  });

  test("breaks off a body: the client sees that it is not whole", async () => {
    act = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
      setTimeout(() => socket.destroy(), 50);
    };
    await expect(admin.get(THINGS)).rejects.toThrow();
    act = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      setTimeout(() => socket.end("zz\r\n"), 50);
    };
    await expect(admin.get(THINGS)).rejects.toThrow();
    const session = await openHttp2(front);
    await expect(http2Get(session, THINGS)).rejects.toThrow();
    session.close();
  });

  test("dies while it is watched: the watch ends", async () => {
    act = (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n{"type":"ADDED"}\n\r\n\r\n');
    const watch = await admin.watch(`${THINGS}?watch=1`);
    for (const socket of open) socket.destroy();
    while ((await watch.next().catch(() => undefined)) !== undefined);
  });

  test("redirects: the client is not sent there", async () => {
    act = (socket) => void socket.write(answer("", "HTTP/1.1 302 Found\r\nLocation: https://evil.example.com/"));
    const { code, headers, json } = await admin.get(THINGS);
    expect([code, headers.location, json.kind]).toEqual([502, undefined, "Status"]);
  });

  test("speaks for the whole server: only its warnings are heard", async () => {
    const more = [
      'Warning: 299 - "old"',
      "Set-Cookie: a=b",
      "Strict-Transport-Security: max-age=1",
      "Audit-Id: x",
      "Access-Control-Allow-Origin: *",
      "X-Own: y",
    ];
    act = (socket) => void socket.write(answer(LIST, `HTTP/1.1 200 OK\r\n${more.join("\r\n")}`));
    const { headers } = await admin.get(THINGS);
    expect(headers.warning).toBe('299 - "old"');
    expect(headers["x-own"]).toBe("y");
    for (const name of ["set-cookie", "strict-transport-security", "access-control-allow-origin"])
      expect(headers[name]).toBeUndefined();
    expect(headers["audit-id"]).not.toBe("x");
  });

  // A request without a time limit, so that the test does not depend on the machine's speed.
  test("takes a large body and answers another, none of which is held", async () => {
    const size = 8 * 1024 * 1024;
    let taken = 0;
    act = (socket, _head, rest) => {
      taken = rest.length;
      socket.on("data", (piece: Buffer) => {
        taken += piece.length;
        if (taken < size) return;
        socket.removeAllListeners("data");
        socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
        socket.end(Buffer.alloc(size, "b"));
      });
    };
    const { code, bytes } = await admin.post(`${THINGS}/t/proxy`, Buffer.alloc(size, "a"));
    expect([code, bytes.length, taken]).toEqual([200, size, size]);
  }, 30_000);

  describe("upgrades", () => {
    const ask = (
      more = "",
    ): Promise<{ socket: TLSSocket; text: () => string; until: (part: string) => Promise<void> }> =>
      new Promise((resolve, reject) => {
        const { certificate: cert, key } = front.admin;
        const socket = connectTls({
          host: "127.0.0.1",
          port: front.port,
          ca: front.ca,
          cert,
          key,
          ALPNProtocols: ["http/1.1"],
        });
        let heard = "";
        let told = () => {};
        socket.on("data", (piece) => {
          heard += String(piece);
          told();
        });
        socket.on("close", () => told());
        socket.on("error", reject);
        socket.on("secureConnect", () => {
          socket.write(
            `GET ${THINGS}/t/console HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: talk\r\nX-Remote-User: root\r\n${more}\r\n`,
          );
          resolve({
            socket,
            text: () => heard,
            async until(part) {
              while (!heard.includes(part) && !socket.destroyed)
                await new Promise<void>((go) => {
                  told = go;
                });
            },
          });
        });
      });

    test("are passed on both ways, for longer than other requests may take", async () => {
      act = (socket, _head, rest) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: talk\r\n\r\nhello ");
        socket.write(rest);
        socket.on("data", (piece) => socket.write(String(piece).toUpperCase()));
      };
      const { socket, text, until: heard } = await ask();
      await heard("hello ");
      await new Promise((resolve) => setTimeout(resolve, 2000));
      socket.write("abc");
      await heard("ABC");
      expect(text()).toMatch(/^HTTP\/1.1 101 (?:.|[\r\n])*hello ABC$/);
      expect(heads[0]).toMatch(/^Upgrade: talk$/m);
      expect(heads[0]?.match(/^X-Remote-User: .*$/gm)).toEqual(["X-Remote-User: admin"]);
      socket.destroy();
    });

    test.each<[string, string, number]>([
      ["with a refusal", answer("no", "HTTP/1.1 403 Forbidden"), 403],
      ["as if nothing was asked", answer("yes"), 503],
      ["with a redirect", answer("", "HTTP/1.1 302 Found\r\nLocation: /"), 503],
      ["with no HTTP", "hello\r\n\r\n", 503],
    ])("are answered %s", async (_how, bytes, code) => {
      act = (socket) => void socket.end(bytes);
      const { socket, text, until: heard } = await ask();
      await heard(`HTTP/1.1 ${code}`);
      expect(text()).toContain(`HTTP/1.1 ${code} `);
      socket.destroy();
    });
  });
});

describe("the availability check of an aggregated API server", () => {
  const passes = async () => {
    await register();
    await until(PATH, (found) => reasonOf(found) === "Passed");
  };
  const aggregated = { headers: { accept: "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList" } };
  interface Item {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly freshness: string; readonly resources: readonly object[] }[];
  }
  const listed = async () => {
    const { json } = await admin.get("/apis", aggregated);
    return (json.items as unknown as readonly Item[]).find(({ metadata }) => metadata.name === GROUP)?.versions[0];
  };

  test("its resources are listed with all others", async () => {
    const things = {
      name: "things",
      singularName: "thing",
      namespaced: true,
      kind: "Thing",
      verbs: ["list", "get"],
      shortNames: ["th"],
    };
    const part = { name: "things/status", namespaced: true, kind: "Thing", verbs: ["get"] };
    toFront = (socket) => void socket.write(answer(JSON.stringify({ resources: [part, things] })));
    await passes();
    let found = await listed();
    while (found?.freshness !== "Current") found = await listed();
    const responseKind = { group: GROUP, version: "v1", kind: "Thing" };
    expect(found.resources).toEqual([
      {
        ...{ resource: "things", singularResource: "thing", scope: "Namespaced", responseKind },
        ...{ verbs: ["get", "list"], shortNames: ["th"] },
        subresources: [{ subresource: "status", responseKind, verbs: ["get"] }],
      },
    ]);
  });

  test.each<[string, Act]>([
    ["text", (socket) => void socket.write(answer("hello"))],
    ["a list of nonsense", (socket) => void socket.write(answer('{"resources":[null,1,{"name":7},{"name":""},[]]}'))],
    ["what is deep", (socket) => void socket.write(answer(`${"[".repeat(400_000)}`))],
    [
      "more than anybody needs",
      (socket) =>
        drip(
          socket,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
          () => `8000\r\n${"a".repeat(0x8000)}\r\n`,
          0,
        ),
    ],
    ["nothing after its head", (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")],
  ])("says that it serves %s", async (_what, hostile) => {
    toFront = hostile;
    // An availability check reads only the headers.
    await passes();
    const { json } = await admin.get("/apis");
    expect(json.groups.map(({ name }) => name)).toContain(GROUP);
    expect((await listed())?.resources).toEqual([]);
  });

  test("publishes version 2 of its schema alone: version 3 is made of it", async () => {
    const thing = { $ref: "#/definitions/Thing" };
    const get = { operationId: "listThings", produces: ["application/json"], responses: { 200: { schema: thing } } };
    const spec = { swagger: "2.0", paths: { [THINGS]: { get } }, definitions: { Thing: { type: "object" } } };
    toFront = (socket, head) => {
      if (head.startsWith("GET /openapi/v2 ")) socket.write(answer(JSON.stringify(spec)));
      else if (head.startsWith("GET /openapi/v3 ")) socket.write(answer("{}", "HTTP/1.1 404 Not Found"));
      else honest(socket, head, Buffer.alloc(0));
    };
    await passes();
    const path = `apis/${GROUP}/v1`;
    const index = await until("/openapi/v3", ({ text }) => text.includes(`"${path}"`));
    const { paths } = JSON.parse(index.text) as { paths: Record<string, { serverRelativeURL: string }> };
    const document = await admin.get(paths[path]?.serverRelativeURL ?? "");
    expect(document.headers["cache-control"]).toContain("immutable");
    const made = JSON.parse(document.text);
    expect(made.paths[THINGS].get.responses[200].content).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/Thing" } },
    });
    expect(made.components.schemas).toEqual({ Thing: { type: "object" } });
    const accept = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
    const protobuf = await admin.get(`/openapi/v3/${path}`, { headers: { accept } });
    expect([protobuf.code, protobuf.bytes.includes("listThings")]).toEqual([200, true]);
  });

  test.each<[string, Act, string]>([
    ["a failure", (socket) => void socket.write(answer("", "HTTP/1.1 500 Oh")), "bad status from https://localhost:"],
    [
      "a redirect",
      (socket) => void socket.write(answer("", "HTTP/1.1 302 Found\r\nLocation: /ok")),
      "bad status from https://localhost:",
    ],
    ["a reset", (socket) => void socket.destroy(), "failing or missing response from https://localhost:"],
    [
      "headers without an end",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", () => `X-A: ${"a".repeat(8000)}\r\n`, 0),
      "failing or missing response from https://localhost:",
    ],
  ])("answers a look with %s", async (_what, hostile, message) => {
    toFront = hostile;
    await register();
    const found = await until(PATH, (each) => reasonOf(each) === "FailedDiscoveryCheck");
    expect(JSON.stringify(found.json.status)).toContain(message);
    const { code, json } = await admin.get(THINGS);
    expect([code, json.message]).toEqual([503, "service unavailable"]);
    // The next check soon finds the server available.
    toFront = honest;
    await until(PATH, (each) => reasonOf(each) === "Passed");
    expect((await admin.get(THINGS)).code).toBe(200);
  });
});

/** Writes pieces until the connection is closed. */
function drip(socket: TLSSocket, first: string, next: () => string, everyMs: number): void {
  socket.write(first);
  const more = () => {
    if (socket.destroyed) return;
    if (socket.write(next())) setTimeout(more, everyMs);
    else socket.once("drain", () => setTimeout(more, everyMs));
  };
  more();
}
