import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { answerHeaders, upgradeAnswerHeaders } from "./answer-headers";
import { openRequest, UNVERIFIED } from "./backend";
import { LinkRewriter } from "./html-links";
import { agentPort, preferredAddress } from "./node-agent";
import { SANDBOX } from "./page-headers";
import { proxiedLink } from "./proxied-links";
import { parseProxiedName } from "./proxied-name";
import { isRoutable } from "./proxy-target";
import { agentPath, type StreamKind, streamOptions, streamQuery } from "./stream-options";

describe("the address of a node agent", () => {
  const node = {
    status: {
      addresses: [
        { type: "ExternalIP", address: "192.0.2.1" },
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "InternalIP", address: "10.0.0.2" },
        { type: "Hostname", address: "" },
      ],
    },
  };

  test.each<[string, string[], string]>([
    ["is of the most preferred type that the node has", ["InternalDNS", "InternalIP", "ExternalIP"], "10.0.0.1"],
    ["follows the preference, not the node's order", ["ExternalIP", "InternalIP"], "192.0.2.1"],
    ["is never empty", ["Hostname", "ExternalIP"], "192.0.2.1"],
  ])("%s", (_behaviour, types, expected) => expect(preferredAddress(node, types)).toBe(expected));

  test("is missing with all that there is in the message", () => {
    expect(() => preferredAddress(node, ["ExternalDNS"])).toThrow(
      "no preferred addresses found; known addresses: [{ExternalIP 192.0.2.1} {InternalIP 10.0.0.1} {InternalIP 10.0.0.2} {Hostname }]",
    );
  });

  test.each<[number, object]>([
    [10250, {}],
    [10250, { status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } } } }],
    [4194, { status: { daemonEndpoints: { kubeletEndpoint: { Port: 4194 } } } }],
  ])("has port %d", (port, view) => expect(agentPort(view)).toBe(port));
});

test.each<[string, object | undefined]>([
  ["web", { scheme: "", name: "web", port: "" }],
  ["web:80", { scheme: "", name: "web", port: "80" }],
  ["https:web:", { scheme: "https", name: "web", port: "" }],
  ["http:web:main", { scheme: "http", name: "web", port: "main" }],
  ["ws:web:80", undefined],
  [":80", undefined],
  ["a:b:c:d", undefined],
])("the proxied name %s", (id, expected) => {
  if (expected === undefined) expect(() => parseProxiedName("pod", id)).toThrow(`invalid pod request "${id}"`);
  else expect(parseProxiedName("pod", id)).toEqual(expected);
});

test.each<[StreamKind, string, string, string]>([
  ["exec", "main", "command=ls&command=-l&stdin=true&tty=1", "/exec/shop/web/main?input=1&tty=1&command=ls&command=-l"],
  ["exec", "main", "command=a+b%26c&stdout=0&stderr=False", "/exec/shop/web/main?command=a+b%26c"],
  ["attach", "main", "stdout=true&stderr=&command=ls", "/attach/shop/web/main?output=1&error=1"],
  ["portforward", "", "ports=80&ports=443", "/portForward/shop/web?port=80%2C443"],
  ["portforward", "", "", "/portForward/shop/web"],
])("the agent's path of %s in %s with %s", (kind, container, query, expected) => {
  const of = { namespace: "shop", pod: "web", container };
  expect(agentPath(kind, of, new URLSearchParams(query))).toBe(expected);
});

test.each<[StreamKind, string]>([
  ["exec", "stdin=true&tty=true&container=c&command=ls&command=-l+%26"],
  ["exec", "command=ls"],
  ["attach", "stdout=true&stderr=true"],
  ["portforward", "ports=80&ports=443"],
])("options of %s as admission leaves them are asked for like those of a client: %s", (kind, query) => {
  const again = streamQuery(streamOptions(kind, new URLSearchParams(query)));
  expect(String(again)).toBe(query);
});

test.each<[string, boolean]>([
  ["10.1.2.3", true],
  ["fd00::2", true],
  ["127.0.0.2", false],
  ["::ffff:127.0.0.1", false],
  ["::127.0.0.1", false],
  ["64:ff9b::127.0.0.1", false],
  ["fd00:ec2::254", false],
  ["0.1.2.3", false],
  ["fe80::1%eth0", false],
  ["169.254.169.254", false],
  ["224.0.0.1", false],
  ["0.0.0.0", false],
  ["fe80::1", false],
  ["::1", false],
  ["", false],
  ["web.example", false],
])("%s may be led to: %s", (ip, expected) => expect(isRoutable(ip)).toBe(expected));

const place = { prefix: "/p/proxy", host: "api.example:6443", target: "10.0.0.1:80" };

test.each<[string, string]>([
  ["/next", "/p/proxy/next"],
  ["/next/?a=/b#c", "/p/proxy/next/?a=/b#c"],
  ["/p/proxy/there", "/p/proxy/there"],
  ["next", "next"],
  ["#here", "#here"],
  ["https://elsewhere.example/x", "https://elsewhere.example/x"],
  ["//elsewhere.example/x", "//elsewhere.example/x"],
  ["http://10.0.0.1:80/x", "https://api.example:6443/p/proxy/x"],
  ["https://api.example:6443/x", "https://api.example:6443/p/proxy/x"],
  ["mailto:a@b.example", "mailto:a@b.example"],
])("a proxied link to %s leads to %s", (link, expected) => expect(proxiedLink(link, place)).toBe(expected));

describe("links in pages", () => {
  const page =
    `<!doctype html><!-- <a href="/c"> --><A HREF='/x' title="/t > /u">é</a><p title=/no>1 < 2</p>` +
    `<img alt="" src=/i.png usemap="#m"><style>a { b: "<img src='/s'>" }</style><form action="/f"></form>` +
    `<script src="/j.js">if (a <b) "<a href='/k'>"</script><a name=n href = "rel">`;
  const expected =
    `<!doctype html><!-- <a href="/c"> --><A HREF='/p/proxy/x' title="/t > /u">é</a><p title=/no>1 < 2</p>` +
    `<img alt="" src=/p/proxy/i.png usemap="#m"><style>a { b: "<img src='/s'>" }</style><form action="/p/proxy/f"></form>` +
    `<script src="/p/proxy/j.js">if (a <b) "<a href='/k'>"</script><a name=n href = "rel">`;

  test.each([1, 7, 10_000])("go through the proxy, in pieces of %d bytes", async (size) => {
    const bytes = Buffer.from(page);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(await text(Readable.from(pieces).pipe(new LinkRewriter(place)))).toBe(expected);
  });

  test("that never end hold nothing back", async () => {
    const open = `<a href="${"x".repeat(100_000)}`;
    expect(await text(Readable.from([Buffer.from(open)]).pipe(new LinkRewriter(place)))).toBe(open);
  });
});

describe("an answer's head", () => {
  const vocabulary = vocabularyOf("orch");
  const raw = [
    ...["Connection", "X-Hop, close", "X-Hop", "1", "connection", "X-Other, Content-Length", "x-other", "2"],
    ...["Transfer-Encoding", "chunked", "Content-Length", "3", "Location", "/x", "constructor", "c"],
    ...["Link", "</1>; rel=prev", "link", "</2>; rel=next", "ETag", "e"],
    ...["Content-Security-Policy", "default-src 'self'", "content-security-policy", "report-uri /x"],
  ];
  const ofTheServer = [
    ...[
      "Audit-Id",
      "Set-Cookie",
      "Strict-Transport-Security",
      "Clear-Site-Data",
      "Public-Key-Pins",
      "Alt-Svc",
      "Refresh",
    ],
    ...["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Service-Worker-Allowed", "WWW-Authenticate"],
    ...["SourceMap", "X-SourceMap", "Speculation-Rules", "Content-Security-Policy-Report-Only", "Link"],
    ...["Warning", "Report-To", "NEL", "Cross-Origin-Opener-Policy", "X-Orch-PF-FlowSchema-UID"],
  ].flatMap((name) => [name, "evil", name.toUpperCase(), "evil"]);

  test("loses what is of one connection or speaks for the whole server, and keeps all else, also what comes twice", () => {
    const rewrite = (name: string, value: string) => (name === "location" ? `/p${value}` : value);
    expect(answerHeaders([...ofTheServer, ...raw, ...ofTheServer], vocabulary, rewrite)).toEqual({
      "content-length": "3",
      location: "/p/x",
      constructor: "c",
      link: ["</1>; rel=prev", "</2>; rel=next"],
      "content-security-policy": ["default-src 'self'", SANDBOX],
      etag: "e",
    });
  });

  test("that agrees to an upgrade keeps what is of the connection", () => {
    const agreed = ["Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Accept", "x"];
    expect(upgradeAnswerHeaders([...agreed, ...ofTheServer], vocabulary)).toEqual(agreed);
  });
});

test("connecting is bounded, the handshake included", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const backend = { scheme: "https", host: "127.0.0.1", port, tls: UNVERIFIED, connectTimeoutMs: 20 } as const;
  const request = openRequest(backend, { method: "GET", path: "/", headers: [] });
  request.end();
  const [error] = (await once(request, "error")) as [Error];
  expect(error.message).toBe(`connecting to 127.0.0.1:${port} took longer than 20 ms`);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
