// Tests HTTP/1.1 requests to a faulty server, played by a plain socket.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Clock, systemClock } from "@orch/platform";
import { Http1Connections } from "./http1-connections";
import type { ConnectionError, TransportRequest } from "./transport";

const OK = "HTTP/1.1 200 OK\r\n";
const FULL = `${OK}Content-Length: 4\r\n\r\nbody`;

let server: Server;
/** Handles each request, given its number on its connection. */
let behaves: (socket: Socket, count: number) => void;
let sockets: Socket[] = [];
let connections: Http1Connections;

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.push(socket);
    let count = 0;
    socket.on("error", () => {});
    socket.on("data", () => {
      count += 1;
      behaves(socket, count);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
beforeEach(() => {
  connections?.destroy();
  for (const socket of sockets) socket.destroy();
  sockets = [];
  connections = new Http1Connections(url(), undefined, { connectionsMax: 2 });
});
afterAll(() => {
  connections.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Resolves when the socket is closed, by a reset or not. */
const gone = (socket: Socket) =>
  new Promise((resolve) => (socket.closed ? resolve(undefined) : socket.once("close", resolve)));
const url = () => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
const send = (of: Partial<TransportRequest> = {}) =>
  connections.request({
    method: "POST",
    path: "/",
    headers: {},
    body: "{}",
    signal: new AbortController().signal,
    ...of,
  });
const ask = async (of: Partial<TransportRequest> = {}, maxBytes?: number) =>
  String(await (await send(of)).body.bytes(maxBytes));
const failure = (of: Partial<TransportRequest> = {}, maxBytes?: number): Promise<ConnectionError> =>
  ask(of, maxBytes).then(
    () => Promise.reject(new Error("it was answered")),
    (error: ConnectionError) => error,
  );

describe("a kept connection", () => {
  test("that the other side leaves when it is asked again is told as such", async () => {
    behaves = (socket, count) => (count === 1 ? socket.write(FULL) : socket.destroy());
    await ask();
    expect(await failure()).toMatchObject({ onKeptConnection: true, notProcessed: false, code: "ECONNRESET" });
    expect(await ask()).toBe("body");
    expect(sockets).toHaveLength(2);
  });

  test.each([
    ["is said to be the last's", `${OK}Connection: close\r\nContent-Length: 4\r\n\r\nbody`],
    ["is kept by the other side for no time", `${OK}Keep-Alive: timeout=1\r\nContent-Length: 4\r\n\r\nbody`],
    ["says more than was asked for", `${FULL}${FULL}`],
  ])("that %s is not used again", async (_what, answer) => {
    behaves = (socket) => socket.write(answer);
    for (const count of [1, 2, 3]) {
      expect(await ask()).toBe("body");
      expect(sockets).toHaveLength(count);
    }
  });

  test("on which something is said unasked is not used again", async () => {
    behaves = (socket) => socket.write(FULL);
    await ask();
    const left = gone(sockets[0] as Socket);
    sockets[0]?.write(FULL);
    await left;
    expect(await ask()).toBe("body");
    expect(sockets).toHaveLength(2);
  });

  test("that was idle for too long gives way to a new one, which goes when all ends", async () => {
    behaves = (socket) => socket.write(FULL);
    let passedMs = 0;
    const clock: Clock = { ...systemClock, elapsed: () => passedMs };
    connections = new Http1Connections(url(), undefined, { connectionsMax: 1, clock });
    await ask();
    passedMs += 100_000;
    expect(await ask()).toBe("body");
    expect(await ask()).toBe("body");
    expect(sockets).toHaveLength(2);
    connections.destroy();
    for (const socket of sockets) await gone(socket);
  });

  test("a connection whose request was not read completely is not reused", async () => {
    behaves = (socket) => {
      socket.pause();
      socket.write(FULL);
    };
    for (const count of [1, 2]) {
      expect(await ask({ body: "x".repeat(16 * 1024 * 1024) })).toBe("body");
      expect(sockets).toHaveLength(count);
    }
  });
});

describe("an answer", () => {
  test("that ends with its connection is whole", async () => {
    behaves = (socket) => socket.end(`${OK}\r\nbody`);
    expect(await ask()).toBe("body");
  });

  test("that never comes is told", async () => {
    behaves = (socket) => socket.end();
    expect(await failure()).toMatchObject({ onKeptConnection: false, message: expect.stringMatching(/hang up/) });
  });

  test("that is cut off is told, read whole or as it comes", async () => {
    behaves = (socket) => socket.end(`${OK}Content-Length: 40\r\n\r\nbody`);
    const message = "the connection was lost before the answer was complete";
    expect(await failure()).toMatchObject({ name: "ConnectionError", message });
    const { body } = await send();
    const read = body.stream().toArray();
    await expect(read).rejects.toMatchObject({ message });
  });

  test("that is no HTTP is told", async () => {
    behaves = (socket) => socket.write("SSH-2.0-what\r\n");
    expect(await failure()).toMatchObject({ code: "HPE_INVALID" });
  });

  test("that is longer than its bound is not read on", async () => {
    behaves = (socket) => {
      socket.write(`${OK}\r\n`);
      const more = () => {
        while (socket.write(Buffer.alloc(65_536)));
        socket.once("drain", more);
      };
      more();
    };
    expect(await failure({}, 1_000_000)).toMatchObject({ message: "the answer has more than 1000000 bytes" });
    await gone(sockets[0] as Socket);
  });

  test("that comes before the whole request was sent is heard", async () => {
    behaves = (socket) => {
      socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    };
    expect((await send({ body: "x".repeat(1_000_000) })).status).toBe(413);
  });
});

test("an unread body causes back pressure and is complete in the end", async () => {
  const count = 16 * 1024 * 1024;
  behaves = (socket) =>
    socket.write(Buffer.concat([Buffer.from(`${OK}Content-Length: ${count}\r\n\r\n`), Buffer.alloc(count)]));
  const { body } = await send();
  const stream = body.stream();
  await once(stream, "readable");
  // The buffers of the operating system hold a part of it.
  expect((sockets[0] as Socket).writableLength).toBeGreaterThan(0);
  let length = 0;
  for await (const piece of stream) length += piece.length;
  expect(length).toBe(count);
});

test("requests beyond as many connections wait in their order, and leave when they are ended", async () => {
  const asked: Socket[] = [];
  behaves = (socket) => asked.push(socket);
  const first = [ask(), ask()];
  const ending = new AbortController();
  const leaves = ask({ signal: ending.signal });
  const waits = ask();
  ending.abort(new Error("nobody waits"));
  await expect(leaves).rejects.toThrow("nobody waits");
  while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
  behaves = (socket) => socket.write(FULL);
  for (const socket of asked) socket.write(FULL);
  expect(await Promise.all([...first, waits])).toEqual(["body", "body", "body"]);
  expect(sockets).toHaveLength(2);
});

test("those that wait for a connection that is lost get another", async () => {
  behaves = (socket, count) => (sockets.length <= 2 && count === 1 ? socket.destroy() : socket.write(FULL));
  const answers = await Promise.allSettled([ask(), ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
});

test("a request that is ended takes its connection with it", async () => {
  const ending = new AbortController();
  behaves = () => ending.abort(new Error("nobody waits"));
  await expect(ask({ signal: ending.signal })).rejects.toThrow("nobody waits");
  await gone(sockets[0] as Socket);
});

test("those that wait are told when all ends", async () => {
  behaves = () => {};
  const all = [failure(), failure(), failure()];
  connections.destroy();
  for (const each of await Promise.all(all)) expect(each.name).toBe("ConnectionError");
});

test("a server that is not there has not acted on anything", async () => {
  connections = new Http1Connections(new URL("http://127.0.0.1:1"), undefined);
  expect(await failure()).toMatchObject({ code: "ECONNREFUSED", notProcessed: true });
});

test.each<[string, Partial<TransportRequest>]>([
  ["a header", { headers: { "impersonate-user": "a\r\nx: y" } }],
  ["one of several headers", { headers: { "impersonate-group": ["a", "b\nc"] } }],
  ["a header with what HTTP has no letters for", { headers: { "impersonate-user": "\u{1f600}" } }],
  ["the path", { path: "/a b" }],
])("%s that would be read as something else is not sent", async (_what, of) => {
  behaves = (socket) => socket.write(FULL);
  await expect(ask(of)).rejects.toThrow("contains characters that are not allowed");
  expect(sockets).toEqual([]);
});

test("bytes already read stay unchanged by further reads", async () => {
  behaves = (socket, count) => socket.write(`${OK}Content-Length: 4\r\n\r\nbod${count}`);
  const read = [await (await send()).body.bytes(), await (await send()).body.stream().toArray()];
  await ask();
  expect(sockets).toHaveLength(1);
  expect(read.map((each) => String(each))).toEqual(["bod1", "bod2"]);
});
