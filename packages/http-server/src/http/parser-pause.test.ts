// Requests over HTTP/1.1 that arrive while an earlier answer is not flushed: Node.js stops reading then.
import { once } from "node:events";
import { connect } from "node:tls";
import { afterEach, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import type { HttpRequest, HttpResponse } from "./exchange";
import { Failures } from "./failures";
import { httpClassesOf } from "./http-classes";
import { OpenConnections } from "./open-connections";
import { SecureListener } from "./secure-listener";

/** More than the high-water mark of a socket, so that the answer counts as not flushed. */
const ANSWER = Buffer.alloc(100_000, "a");
const HOST = "127.0.0.1";
const failures: string[] = [];
let listener: SecureListener | undefined;

afterEach(() => {
  listener?.closePort();
  listener?.destroy();
  failures.length = 0;
});

/** Answers a GET with a large answer at once, other requests with the length of their body. */
function answer(request: HttpRequest, response: HttpResponse): void {
  if (request.method === "GET") {
    response.end(ANSWER);
    return;
  }
  let length = 0;
  request.on("data", (piece: Buffer) => {
    length += piece.length;
  });
  request.on("end", () => response.end(`received ${length};`));
}

async function listen(): Promise<number> {
  const { certificate, key } = makeCertificate({
    subject: { commonName: "server" },
    usage: { kind: "server", names: [HOST] },
    nowMs: Date.now(),
  });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  listener = new SecureListener({
    classes: httpClassesOf({ request: Object.create({}), response: Object.create({}), router: undefined }),
    listener: answer,
    connections: new OpenConnections({
      max: 100,
      maxPerAddress: 0,
      maxStreams: 100,
      idleMs: 60_000,
      now: Date.now,
      closed() {},
    }),
    failures: new Failures({ logger: logger as never, count: (place) => void failures.push(place), now: Date.now }),
    tls: { cert: certificate, key, ca: "" },
    minVersion: "TLSv1.2",
    ciphers: undefined,
    http2: true,
    streamsPerConnection: 100,
    requestTimeoutMs: 60_000,
    idleMs: 60_000,
    isRevoked: () => false,
    unread: undefined,
    handshakeFailed() {},
  });
  return listener.listen(0, HOST);
}

const get = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
const post = (bytes: number): string =>
  `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${bytes}\r\n\r\n${"b".repeat(bytes)}`;

/** Sends everything at once and receives until the last of the expected answers, or the end of the connection. */
async function send(port: number, text: string, last: string): Promise<string> {
  const client = connect({ port, host: HOST, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  await once(client, "secureConnect");
  client.write(text);
  let received = "";
  for await (const piece of client) {
    received += (piece as Buffer).toString("latin1");
    if (received.includes(last)) break;
  }
  client.destroy();
  return received;
}

const answersIn = (received: string): string[] => received.match(/HTTP\/1\.1 \d+|received \d+;/g) ?? [];

test.each<[what: string, bodies: readonly number[]]>([
  ["a large body", [200_000]],
  ["bodies that begin and end within TLS records", [30_001, 45_003, 30_005]],
  ["many small bodies", Array.from({ length: 100 }, (_, at) => 300 + at)],
])("the server receives %s behind an answer that is not flushed", async (_what, bodies) => {
  const port = await listen();
  const received = await send(port, get + bodies.map(post).join(""), `received ${bodies.at(-1)};`);
  const ok = "HTTP/1.1 200";
  expect([answersIn(received), failures]).toEqual([[ok, ...bodies.flatMap((each) => [ok, `received ${each};`])], []]);
});

test("the server receives every large body between large answers", async () => {
  const port = await listen();
  const text = (get + post(70_000)).repeat(10) + post(1);
  const received = await send(port, text, "received 1;");
  expect([answersIn(received).filter((each) => each === "received 70000;").length, failures]).toEqual([10, []]);
});
