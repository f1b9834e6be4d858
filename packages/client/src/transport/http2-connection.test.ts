// A connection whose peer has vanished, such as behind a virtual address that has moved, is left after the first request
// that was not answered in time.
import { createServer, type Http2Server } from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { Http2Connection } from "./http2-connection";

let server: Http2Server;
let relay: Server;
let isCut: boolean;
let sockets: Socket[];
let clock: ManualClock;
let connection: Http2Connection;
let closed: number;

const portOf = (listening: Server | Http2Server): number => (listening.address() as AddressInfo).port;
const listen = (one: Server | Http2Server) =>
  new Promise<void>((resolve) => {
    one.listen(0, "127.0.0.1", resolve);
  });

beforeEach(async () => {
  [isCut, sockets, closed] = [false, [], 0];
  server = createServer();
  server.on("stream", (stream, { ":path": path }) => {
    stream.on("error", () => {});
    if (path === "/answered") stream.respond({ ":status": 200 }, { endStream: true });
  });
  await listen(server);
  // Forwards bytes until it is cut, and tells neither side.
  relay = createTcpServer((near) => {
    const far = connect(portOf(server), "127.0.0.1");
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("error", () => {});
      from.on("data", (bytes) => {
        if (!isCut) to.write(bytes);
      });
    }
  });
  await listen(relay);
  clock = new ManualClock();
  const socket = connect(portOf(relay), "127.0.0.1");
  sockets.push(socket);
  connection = new Http2Connection(socket as TLSSocket, "http://server", {
    clock,
    closed: () => {
      closed += 1;
    },
  });
});
afterEach(() => {
  connection.destroy();
  for (const socket of sockets) socket.destroy();
  relay.close();
  server.close();
});

const request = (path: string, signal = new AbortController().signal) =>
  connection.request({ method: "GET", path, headers: {}, signal });

async function timeOut(): Promise<void> {
  const bound = new AbortController();
  const silent = request("/silent", bound.signal);
  bound.abort(new Error("no answer in time"));
  await expect(silent).rejects.toThrow("no answer in time");
}

test("a peer that has vanished gets no new requests after one that was not answered", async () => {
  expect((await request("/answered")).status).toBe(200);
  isCut = true;
  await timeOut();
  expect(connection.usable).toBe(true);
  clock.advance(1000);
  expect([connection.usable, closed]).toEqual([false, 1]);
});

test("a slow answer leaves the connection to a peer that answers pings", async () => {
  expect((await request("/answered")).status).toBe(200);
  await timeOut();
  // The answer to the ping arrives before that to a later request.
  expect((await request("/answered")).status).toBe(200);
  clock.advance(1000);
  expect(connection.usable).toBe(true);
});
