// Idle and incomplete connections: each kind is closed in bounded time, and there is always room for other clients.
import { connect as connectTcp } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./harness/api-server";
import { expectStatus, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import {
  FLAG,
  FRAME,
  frame,
  headerBlock,
  headers,
  PREFACE,
  ping,
  readFrames,
  requestFields,
  settings,
} from "./harness/http2-frames";
import { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import { RawConnection } from "./harness/raw-connection";

const workplace = useWorkplace();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: Omit<ApiServerOptions, "store"> = {}): Promise<ApiServer> {
  const server = await startApiServer(workplace, { store: { kind: "memory" }, ...options });
  cleanups.push(async () => {
    expect(server.program.logTail).not.toMatch(/uncaught|unhandled/i);
    await server.stop();
  });
  return server;
}

async function open(server: ApiServer, protocol: "http/1.1" | "h2", ...said: Buffer[]): Promise<RawConnection> {
  const { ca: _, ...as } = server.authority.user("operator", ["system:masters"]);
  const connection = await RawConnection.open({ port: server.port, protocol, as });
  cleanups.push(() => connection.destroy());
  connection.write(Buffer.concat(said));
  return connection;
}

const hello = Buffer.concat([PREFACE, settings()]);
const get = (path: string, stream = 1) => headers(stream, requestFields("GET", path));
const block = headerBlock(requestFields("GET", "/version"));
/** Request headers that never end. */
const begun = (stream: number) => frame(FRAME.headers, { stream, flags: FLAG.endStream, payload: block });
const further = (stream: number, at: number) =>
  frame(FRAME.continuation, { stream, payload: headerBlock([[`x-${at}`, "a"]]) });

test("each is closed in bounded time; one with an open watch is not", async () => {
  const server = await start({ flags: ["--keep-alive-timeout=3s"] });
  const closed = new Set<string>();
  const kinds: Readonly<Record<string, RawConnection>> = {
    "HTTP/2 without a preface": await open(server, "h2"),
    "half a preface": await open(server, "h2", PREFACE.subarray(0, 10)),
    "a preface and no settings": await open(server, "h2", PREFACE),
    "no request": await open(server, "h2", hello),
    "pings alone": await open(server, "h2", hello),
    "settings alone": await open(server, "h2", hello),
    "a head that drips": await open(server, "h2", hello, begun(1)),
    "quiet after a request": await open(server, "h2", hello, get("/version")),
    "pings after a request": await open(server, "h2", hello, get("/version")),
    "a head that drips after a request": await open(server, "h2", hello, get("/version"), begun(3)),
    "quiet after a request of HTTP/1.1": await open(
      server,
      "http/1.1",
      Buffer.from("GET /version HTTP/1.1\r\nHost: x\r\n\r\n"),
    ),
    "a request that was refused, whose body does not come": await open(
      server,
      "http/1.1",
      Buffer.from("POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"),
    ),
  };
  const tcp = connectTcp(server.port, "127.0.0.1").on("error", () => undefined);
  cleanups.push(() => tcp.destroy());
  tcp.on("close", () => closed.add("no TLS"));
  for (const [name, { socket }] of Object.entries(kinds)) socket.on("close", () => closed.add(name));
  const watch = await open(server, "h2", hello, get("/api/v1/namespaces?watch=1"));
  let rounds = 0;
  const speaking = setInterval(() => {
    rounds += 1;
    kinds["pings alone"]?.write(ping());
    kinds["pings after a request"]?.write(ping());
    kinds["settings alone"]?.write(settings());
    kinds["a head that drips"]?.write(further(1, rounds));
    kinds["a head that drips after a request"]?.write(further(3, rounds));
  }, 500);
  cleanups.push(() => clearInterval(speaking));
  const all = [...Object.keys(kinds), "no TLS"].sort();
  await eventually("all are closed", async () => closed.size === all.length, { timeoutMs: 90_000, pauseMs: 200 }).catch(
    () => expect([...closed].sort()).toEqual(all),
  );
  expect(watch.closed).toBe(false);
  watch.forget();
  watch.write(get("/version", 3));
  const answered = () => readFrames(watch.received).frames.some(({ stream }) => stream === 3);
  await watch.until("an answer on the connection of the watch", answered);
}, 150_000);

describe("when the process may have 300 files open", () => {
  test.each(["http/1.1", "h2"] as const)(
    "1,000 unauthenticated connections over %s leave room for clients",
    async (protocol) => {
      const server = await start({ limits: { openFiles: 300 } });
      const known = await open(server, "h2", hello, get("/api/v1/namespaces?watch=1"));
      const quiet = await open(server, "h2", hello, get("/api/v1/namespaces"));
      const answered = (connection: RawConnection, stream: number) => () =>
        readFrames(connection.received).frames.some((each) => each.stream === stream);
      await quiet.until("an answer", answered(quiet, 1));
      let opened = 0;
      await inParallel(1000, 20, async () => {
        const connection = await RawConnection.open({ port: server.port, protocol }).catch(() => undefined);
        if (connection === undefined) return;
        opened += 1;
        cleanups.push(() => connection.destroy());
        if (protocol === "h2") connection.write(hello);
      });
      expect(opened).toBeGreaterThan(900);
      for (let round = 0; round < 10; round += 1) {
        const client = new ApiClient(
          server.url,
          round % 2 === 0 ? server.authority.anonymous() : server.admin.credentials,
        );
        expect((await client.get("/readyz")).status).toBe(200);
        client.close();
      }
      for (const connection of [known, quiet]) {
        expect(connection.closed).toBe(false);
        connection.write(get("/version", 3));
        await connection.until("an answer", answered(connection, 3));
      }
      const { body } = await server.admin.get("/metrics");
      expect(body).toMatch(/^apiserver_connections_closed_total\{reason="room"\} [1-9]\d\d/m);
    },
    120_000,
  );

  test("connections of known users that are all in use leave room for those who watch over the server", async () => {
    const server = await start({ limits: { openFiles: 300 } });
    for (let count = 0; count < 200; count += 1) {
      const watching = await open(server, "h2", hello, get("/api/v1/namespaces?watch=1"));
      await watching.until("the watch", () => watching.text.includes("ADDED"));
    }
    const late = new ApiClient(server.url, server.authority.user("late", ["system:masters"]));
    cleanups.push(() => late.close());
    expect((await late.get("/readyz/ping")).status).toBe(200);
    const refused = await late.get("/api/v1/namespaces").catch((error: Error) => error);
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "1", connection: "close" } });
  }, 120_000);
});

test("a bound on connections of one address", async () => {
  const server = await start({ flags: ["--max-connections-per-address=20"] });
  const connections: RawConnection[] = [];
  for (let count = 0; count < 30; count += 1) {
    const connection = await RawConnection.open({ port: server.port }).catch(() => undefined);
    if (connection !== undefined) connections.push(connection);
  }
  cleanups.push(() => connections.forEach((connection) => void connection.destroy()));
  // One connection belongs to the client of the readiness check.
  await eventually("those beyond the bound are closed", async () => {
    return connections.filter(({ closed }) => !closed).length === 19;
  });
  for (const connection of connections) connection.destroy();
  await eventually("there is room again", () =>
    expectStatus(200, server.admin.get("/api/v1/namespaces")).catch(() => undefined),
  );
});
