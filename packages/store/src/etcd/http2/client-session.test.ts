// The client against Node's own server, which packs its headers in every way and is strict about windows.

import { createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { ClientSession, type StreamEnd } from "./client-session";
import { FLAG, FRAME, frame, settingsFrame } from "./frame";
import { encodeHeaders } from "./header-block";
import type { HeaderField } from "./header-table";

const WINDOW_BYTES = 256 * 1024;
const REQUEST = encodeHeaders([
  { name: ":method", value: "POST" },
  { name: ":scheme", value: "http" },
  { name: ":path", value: "/a/path" },
  { name: ":authority", value: "localhost" },
]);

let server: Http2Server | Server;
let session: ClientSession;
const sockets = new Set<Socket>();
const serverSessions = new Set<Http2Session>();

afterEach(async () => {
  session.destroy();
  for (const each of serverSessions) each.destroy();
  for (const each of sockets) each.destroy();
  serverSessions.clear();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

async function listening(made: Http2Server | Server): Promise<number> {
  server = made;
  made.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return (made.address() as AddressInfo).port;
}

/** @returns once greeted, or with the error that came instead; @param chunkBytes what comes is handed on in pieces of that size */
function open(port: number, chunkBytes = Number.POSITIVE_INFINITY): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    session = new ClientSession(socket, WINDOW_BYTES, { greeted: () => resolve(undefined), closed: resolve });
    socket.on("data", (chunk) => {
      for (let at = 0; at < chunk.length; at += chunkBytes) session.receive(chunk.subarray(at, at + chunkBytes));
    });
  });
}

async function serving(answer: (stream: ServerHttp2Stream) => void, settings = {}, chunkBytes?: number): Promise<void> {
  const http2 = createServer({ settings });
  http2.on("session", (each) => serverSessions.add(each));
  http2.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    answer(stream);
  });
  expect(await open(await listening(http2), chunkBytes)).toBeUndefined();
}

interface Heard {
  readonly fields: readonly HeaderField[];
  readonly body: Buffer;
  readonly how: StreamEnd;
}

function ask(body = Buffer.from("body")): Promise<Heard> {
  return new Promise((resolve) => {
    const fields: HeaderField[] = [];
    const pieces: Buffer[] = [];
    session.request(
      REQUEST,
      {
        headers: (more) => fields.push(...more),
        data: (bytes) => pieces.push(Buffer.from(bytes)),
        ended: (how) => resolve({ fields, body: Buffer.concat(pieces), how }),
      },
      { bytes: body, end: true },
    );
  });
}

const echo = (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200 });
  stream.pipe(stream);
};

test.each([Number.POSITIVE_INFINITY, 4093, 1])(
  "a body comes back as it was, whatever pieces of %d it comes in",
  async (chunkBytes) => {
    await serving(echo, {}, chunkBytes);
    const body = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));
    const heard = await Promise.all([ask(body), ask(Buffer.from("x")), ask(body.subarray(7))]);
    expect(heard.map(({ how }) => how)).toEqual(["complete", "complete", "complete"]);
    expect(heard.map((each) => each.body.length)).toEqual([50_000, 1, 49_993]);
    expect(heard[0]?.body.equals(body)).toBe(true);
  },
);

test("bodies larger than every window pass, in both directions", async () => {
  await serving(echo, { initialWindowSize: 10_000 });
  const body = Buffer.alloc(3 * WINDOW_BYTES + 17, "0123456789");
  for (const { body: answer } of await Promise.all([ask(body), ask(body)])) expect(answer.equals(body)).toBe(true);
});

test("headers and trailers of every character, again and again, however they are packed", async () => {
  const texts = Array.from({ length: 40 }, (_, index) =>
    Array.from({ length: 30 }, (_none, at) => String.fromCharCode(0x21 + ((index * 31 + at * 7) % 0x5e))).join(""),
  );
  const high = Array.from({ length: 0x80 }, (_, index) => String.fromCharCode(0x80 + index)).join("");
  let count = 0;
  await serving((stream) => {
    const text = texts[count++ % texts.length] ?? "";
    stream.respond(
      { ":status": 404, "x-text": text, "content-type": "text/plain", "x-high": high },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "5", "grpc-message": text }));
    stream.end("y".repeat(300));
  });
  for (let round = 0; round < 3 * texts.length; round++) {
    const { fields } = await ask();
    const text = texts[round % texts.length];
    const found = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
    expect(found).toMatchObject({
      ":status": "404",
      "x-text": text,
      "x-high": high,
      "content-type": "text/plain",
      "grpc-status": "5",
      "grpc-message": text,
    });
  }
});

test("a header block that fills several frames is one", async () => {
  const long = "a".repeat(40_000);
  await serving((stream) => stream.respond({ ":status": 200, "x-long": long }, { endStream: true }));
  expect((await ask()).fields).toContainEqual({ name: "x-long", value: long });
});

test("more requests than the peer takes at once wait for each other", async () => {
  let open = 0;
  let most = 0;
  await serving(
    (stream) => {
      most = Math.max(most, ++open);
      stream.on("close", () => open--);
      echo(stream);
    },
    { maxConcurrentStreams: 3 },
  );
  const bodies = Array.from({ length: 20 }, (_, index) => Buffer.from(`${index}`));
  const heard = await Promise.all(bodies.map(ask));
  expect(heard.map(({ body }) => body.toString())).toEqual(bodies.map(String));
  expect(most).toBeLessThanOrEqual(3);
});

test.each([
  ["refused", 7, "refused"],
  ["broken off", 2, "broken"],
])("a request that is %s says so", async (_what, code, how) => {
  await serving((stream) => stream.close(code));
  expect((await ask()).how).toBe(how);
});

test("a cancelled request is heard of no more, and the connection serves on", async () => {
  let closed = (): void => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  await serving((stream) => {
    stream.on("close", closed);
    if (stream.id !== 1) echo(stream);
  });
  const never = { headers: fail, data: fail, ended: fail };
  const stream = session.request(REQUEST, never);
  session.write(stream, Buffer.from("some"));
  session.cancel(stream);
  await gone;
  expect((await ask()).how).toBe("complete");
});

const fail = (): never => {
  throw new Error("a cancelled stream was heard of");
};

test("a peer that says farewell finishes what it has begun; nothing new is taken", async () => {
  await serving((stream) => {
    stream.session?.goaway(0, stream.id);
    setImmediate(() => echo(stream));
  });
  expect(session.open).toBe(true);
  expect(await ask()).toMatchObject({ how: "complete" });
  expect(session.open).toBe(false);
});

test("pings are answered, and their answers heard", async () => {
  await serving(echo);
  await new Promise<void>((resolve) => session.ping(resolve));
  const [peer] = serverSessions;
  const answered = await new Promise<boolean>((resolve) => peer?.ping((error) => resolve(error === null)));
  expect(answered).toBe(true);
});

test("with its connection a request is lost", async () => {
  await serving((stream) => stream.session?.destroy());
  expect((await ask()).how).toBe("broken");
  expect(session.open).toBe(false);
});

const SETTINGS = settingsFrame([]);
const of = (type: number, payload: Buffer, flags = 0, stream = 0) => frame({ type, flags, stream }, payload);

test.each<[string, Buffer]>([
  ["no HTTP/2 at all", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["a frame before the settings", of(FRAME.ping, Buffer.alloc(8))],
  ["a frame that is too long", Buffer.concat([SETTINGS, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0])])],
  ["settings cut short", of(FRAME.settings, Buffer.alloc(5))],
  ["a window that overflows", Buffer.concat([SETTINGS, of(FRAME.windowUpdate, Buffer.from([0x7f, 0xff, 0xff, 0xff]))])],
  ["a window update of the wrong length", Buffer.concat([SETTINGS, of(FRAME.windowUpdate, Buffer.alloc(3))])],
  ["a push", Buffer.concat([SETTINGS, of(FRAME.pushPromise, Buffer.alloc(4), 0, 1)])],
  ["a farewell cut short", Buffer.concat([SETTINGS, of(FRAME.goaway, Buffer.alloc(7))])],
  ["padding without end", Buffer.concat([SETTINGS, of(FRAME.headers, Buffer.from([9, 1]), FLAG.padded, 1)])],
  [
    "headers of an unknown number",
    Buffer.concat([SETTINGS, of(FRAME.headers, Buffer.from([0xff, 0x7f]), FLAG.endHeaders, 1)]),
  ],
  [
    "a header text without end",
    Buffer.concat([SETTINGS, of(FRAME.headers, Buffer.from([0, 5, 97]), FLAG.endHeaders, 1)]),
  ],
  [
    "a packed text with the end mark",
    Buffer.concat([SETTINGS, of(FRAME.headers, Buffer.from([0, 0x84, 255, 255, 255, 255]), FLAG.endHeaders, 1)]),
  ],
  [
    "a header block cut into",
    Buffer.concat([SETTINGS, of(FRAME.headers, Buffer.alloc(0), 0, 1), of(FRAME.ping, Buffer.alloc(8))]),
  ],
  ["a continuation of nothing", Buffer.concat([SETTINGS, of(FRAME.continuation, Buffer.alloc(0), 0, 1)])],
])("a peer that sends %s loses the connection, and with it every request", async (_what, bytes) => {
  const port = await listening(createTcpServer((socket) => socket.write(bytes)));
  await open(port);
  const heard = session.open ? await ask() : { how: "broken" };
  expect(heard.how).toBe("broken");
  expect(session.open).toBe(false);
});
