// The transport against the HTTP/2 server of Node.js, which keeps the protocol, and against one that violates it.
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { ConnectDialer } from "@orch/platform";
import { ConnectProxy } from "@orch/testing";
import { type Connection, GRPC_STATUS, GrpcError } from "../transport";
import { MESSAGE_MAX_BYTES } from "../wire";
import { directTransport } from "./direct-transport";
import { FLAG, FRAME, frame, settings } from "./frames";

const METHOD = "/etcdserverpb.KV/Txn";
const BOUNDS = { timeoutMs: 30_000, repeatable: false };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const framed = (message: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

async function listening(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connected(url: string): Promise<Connection> {
  const connection = await directTransport()({ url, tls: false }, 10_000);
  closing.push(() => connection.destroy());
  return connection;
}

/** Starts a server that answers each call with `act`, such as by echoing the request. */
async function peer(
  act: (stream: ServerHttp2Stream, sent: Buffer) => void,
  options: { readonly initialWindowSize?: number; readonly maxConcurrentStreams?: number } = {},
  begun: (headers: IncomingHttpHeaders) => void = () => {},
) {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer({ settings: options });
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  server.on("stream", (stream, headers) => {
    begun(headers);
    stream.on("error", () => {});
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => act(stream, Buffer.concat(pieces)));
  });
  const connection = await connected(await listening(server));
  return { connection, sessions };
}

function answer(
  stream: ServerHttp2Stream,
  body: Buffer,
  trailers: Record<string, string> = { "grpc-status": "0" },
): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(body);
}

const echo = (stream: ServerHttp2Stream, sent: Buffer): void => answer(stream, sent);
const letters = (count: number): Buffer => Buffer.alloc(count, "abcdefghijklmnopqrstuvwxyz");

test.each([0, 1, 1300, 16_379, 16_384, 70_000, 20_000_000])("a message of %i bytes, there and back", async (count) => {
  const { connection } = await peer(echo);
  const message = letters(count);
  const back = await connection.call(METHOD, framed(message), BOUNDS);
  expect(back.equals(message)).toBe(true);
});

test("the headers of a call are its metadata, and no other call has them", async () => {
  const seen: unknown[] = [];
  const { connection } = await peer(
    (stream, sent) => echo(stream, sent),
    {},
    (headers) => seen.push([headers["traceparent"], headers["tracestate"], headers["grpc-timeout"]]),
  );
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const headers = { traceparent, tracestate: "vendor=value" };
  await connection.call(METHOD, framed(letters(1)), { ...BOUNDS, headers });
  await connection.call(METHOD, framed(letters(1)), BOUNDS);
  expect(seen).toEqual([
    [traceparent, "vendor=value", "30000m"],
    [undefined, undefined, "30000m"],
  ]);
});

test("many calls at once are told apart", async () => {
  const { connection } = await peer((stream, sent) => setTimeout(() => echo(stream, sent), (sent[5] as number) % 7));
  const messages = Array.from({ length: 300 }, (_, at) => Buffer.from([at % 256, at >> 8, ...letters(at)]));
  const back = await Promise.all(messages.map((message) => connection.call(METHOD, framed(message), BOUNDS)));
  expect(back.map((each) => each.toString("hex"))).toEqual(messages.map((each) => each.toString("hex")));
});

test("small windows and few streams at once only make it slower", async () => {
  const { connection } = await peer(echo, { initialWindowSize: 100, maxConcurrentStreams: 2 });
  const messages = Array.from({ length: 20 }, (_, at) => letters(at * 100));
  const back = await Promise.all(messages.map((message) => connection.call(METHOD, framed(message), BOUNDS)));
  expect(back.map(({ length }) => length)).toEqual(messages.map(({ length }) => length));
});

test.each([
  ["as it is", "etcdserver: mvcc: required revision has been compacted"],
  ["percent-encoded", "a%20b%C3%A9"],
  [
    "with all letters",
    " !\"#$&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
  ],
  ["long", "x".repeat(30_000)],
])("an error status is decoded %s", async (_how, text) => {
  const { connection } = await peer((stream) =>
    answer(stream, Buffer.alloc(0), { "grpc-status": "11", "grpc-message": text }),
  );
  const error = await connection.call(METHOD, framed(letters(3)), BOUNDS).catch((each: GrpcError) => each);
  expect(error).toMatchObject({ name: "GrpcError", status: 11, message: decodeURIComponent(text), sent: true });
});

test("an endpoint that speaks no gRPC is said to", async () => {
  const { connection } = await peer((stream) => stream.respond({ ":status": 503 }, { endStream: true }));
  await expect(connection.call(METHOD, framed(letters(3)), BOUNDS)).rejects.toMatchObject({
    status: GRPC_STATUS.unavailable,
    message: "the endpoint answered with HTTP status 503",
    sent: false,
  });
});

test.each([
  ["refused", 7, false],
  ["broken off", 2, true],
])("a call that is %s says whether the server may have seen it", async (_how, code, sent) => {
  const { connection } = await peer((stream) => stream.close(code));
  await expect(connection.call(METHOD, framed(letters(3)), BOUNDS)).rejects.toMatchObject({
    status: GRPC_STATUS.unavailable,
    sent,
  });
});

test("a server that goes away finishes what it has begun, and takes no more", async () => {
  let release = () => {};
  const { connection, sessions } = await peer((stream, sent) => {
    release = () => echo(stream, sent);
    sessions[0]?.goaway(0, stream.id as number);
  });
  const running = connection.call(METHOD, framed(letters(3)), BOUNDS);
  while (connection.open) await new Promise((resolve) => setImmediate(resolve));
  await expect(connection.call(METHOD, framed(letters(3)), BOUNDS)).rejects.toMatchObject({ sent: false });
  release();
  expect((await running).toString()).toBe("abc");
});

test("a canceled call returns at once, and the connection stays open", async () => {
  const held: ServerHttp2Stream[] = [];
  const { connection } = await peer((stream, sent) =>
    sent.length === 8 ? void held.push(stream) : echo(stream, sent),
  );
  const signal = new AbortController();
  const given = connection.call(METHOD, framed(letters(3)), { ...BOUNDS, signal: signal.signal });
  const late = connection.call(METHOD, framed(letters(3)), { timeoutMs: 50, repeatable: false });
  signal.abort();
  await expect(given).rejects.toMatchObject({ status: GRPC_STATUS.cancelled });
  await expect(late).rejects.toMatchObject({ status: GRPC_STATUS.deadlineExceeded });
  expect((await connection.call(METHOD, framed(letters(4)), BOUNDS)).toString()).toBe("abcd");
});

test("a stream of messages, cut anywhere, arrives message by message", async () => {
  const messages = [letters(0), letters(10), letters(40_000), letters(3)];
  const whole = Buffer.concat(messages.map(framed));
  const streaming = createServer();
  streaming.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
    for (let at = 0; at < whole.length; at += 997) stream.write(whole.subarray(at, at + 997));
  });
  const connection = await connected(await listening(streaming));
  const seen: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const stream = connection.stream("/etcdserverpb.Watch/Watch", {
      message(bytes) {
        seen.push(bytes.length);
        if (seen.length < messages.length) return;
        stream.close();
        resolve();
      },
      end: reject,
    });
    stream.send(framed(letters(1)));
  });
  expect(seen).toEqual(messages.map(({ length }) => length));
});

test("a message uses memory as its bytes arrive, whatever length its frame claims", async () => {
  const claimed = Buffer.alloc(5);
  claimed.writeUInt32BE(MESSAGE_MAX_BYTES, 1);
  let arrived = () => {};
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { connection, sessions } = await peer((stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    // The client answers the ping after it has read the frames before it.
    stream.write(Buffer.concat([claimed, letters(10)]), () => sessions[0]?.ping(arrived));
  });
  const before = process.memoryUsage().arrayBuffers;
  connection.call(METHOD, framed(letters(3)), BOUNDS).catch(() => {});
  await hasArrived;
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MESSAGE_MAX_BYTES / 16);
});

/** The client sends fewer bytes before its first call. */
const FIRST_SETTINGS_MAX_BYTES = 100;

/** Starts a server that sends the given bytes to every request. */
async function liar(bytes: (at: number) => Buffer): Promise<{ readonly url: string }> {
  let at = 0;
  const server = createRawServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.write(settings([]));
    let heard = 0;
    socket.on("data", (piece: Buffer) => {
      const before = heard;
      heard += piece.length;
      if (before <= FIRST_SETTINGS_MAX_BYTES && heard > FIRST_SETTINGS_MAX_BYTES) socket.write(bytes(at++));
    });
  });
  return { url: await listening(server) };
}

const HEADERS = frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x88]));
const LIES: Readonly<Record<string, Buffer>> = {
  "a frame without an end": Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]),
  "padding that is longer than its frame": frame(FRAME.data, FLAG.padded, 1, Buffer.from([200, 1])),
  "a CONTINUATION frame without a header block": frame(FRAME.continuation, 0, 1),
  "an interrupted header block": Buffer.concat([frame(FRAME.headers, 0, 1), frame(FRAME.ping, 0, 0, Buffer.alloc(8))]),
  "a header block that exceeds the maximum size": Buffer.concat([
    frame(FRAME.headers, 0, 1),
    ...Array.from({ length: 100 }, () => frame(FRAME.continuation, 0, 1, Buffer.alloc(16_000, 0x88))),
  ]),
  "an index into a table that does not exist": frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0xbe])),
  "a number without an end": frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.alloc(50, 0xff)),
  "a text beyond its block": frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x00, 0x7f, 0x10, 1])),
  "an unknown Huffman code": frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x00, 0x84, 255, 255, 255, 255])),
  "a window beyond all": frame(FRAME.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
  "a reset that is cut": frame(FRAME.reset, 0, 1, Buffer.alloc(2)),
  "a compressed message": Buffer.concat([HEADERS, frame(FRAME.data, 0, 1, Buffer.from([1, 0, 0, 0, 1, 0]))]),
  "a message of four gigabytes": Buffer.concat([
    HEADERS,
    frame(FRAME.data, 0, 1, Buffer.from([0, 255, 255, 255, 255, 0])),
  ]),
  "an end without a status": Buffer.concat([HEADERS, frame(FRAME.data, FLAG.endStream, 1)]),
};

test.each(Object.entries(LIES))("%s fails the call, and nothing else", async (_what, bytes) => {
  const { url } = await liar(() => bytes);
  const connection = await connected(url);
  await expect(connection.call(METHOD, framed(letters(3)), BOUNDS)).rejects.toBeInstanceOf(GrpcError);
});

test("random server output fails only the call", async () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const says = (): Buffer => {
    const pieces = Array.from({ length: 1 + random(6) }, () =>
      frame(random(11), random(256), random(4), Buffer.from(Array.from({ length: random(30) }, () => random(256)))),
    );
    return Buffer.concat([...pieces, Buffer.from([0xff, 0xff, 0xff])]);
  };
  const { url } = await liar(says);
  for (let round = 0; round < 300; round += 1) {
    const connection = await connected(url);
    const outcome = await connection
      .call(METHOD, framed(letters(3)), { timeoutMs: 20, repeatable: false })
      .catch((error) => error);
    expect(outcome instanceof GrpcError || Buffer.isBuffer(outcome)).toBe(true);
    connection.destroy();
  }
});

test("a connection through a proxy carries calls, and the proxy gets the host and port of etcd", async () => {
  const server = createServer();
  server.on("session", (session) => {
    session.on("error", () => {});
    closing.push(() => session.destroy());
  });
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.on("data", (piece: Buffer) => answer(stream, piece));
  });
  const url = await listening(server);
  const proxy = await ConnectProxy.listen();
  closing.push(() => proxy.close());
  const dialer = new ConnectDialer(
    { name: "proxy", at: { host: "127.0.0.1", port: proxy.port } },
    { started() {}, failed() {}, connected() {} },
  );
  const connection = await directTransport({}, dialer)({ url, tls: false }, 10_000);
  closing.push(() => connection.destroy());
  const message = letters(1300);
  expect((await connection.call(METHOD, framed(message), BOUNDS)).equals(message)).toBe(true);
  expect(proxy.targets).toEqual([new URL(url).host]);
});
