// Floods of useless HTTP/2 frames: other clients are served, and no memory is left behind.
import type { OutgoingHttpHeaders } from "node:http";
import { connect } from "node:http2";
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMapsPath, expectStatus } from "./harness/config-maps";
import { eventually, sleep } from "./harness/eventually";
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
  reset,
  SETTING,
  settings,
  windowUpdate,
} from "./harness/http2-frames";
import { useWorkplace } from "./harness/processes";
import { RawConnection } from "./harness/raw-connection";

const workplace = useWorkplace();
let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
});

const hello = Buffer.concat([PREFACE, settings()]);
const request = (stream: number) => headers(stream, requestFields("GET", configMapsPath()));
const post = requestFields("POST", configMapsPath());
const field = headerBlock([["x", "a"]]);
const times = (count: number, each: (at: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => each(at)));

/** Number of batches to send, unless the server closes the connection first. */
const BATCHES = 400;

interface Flood {
  readonly first?: Buffer;
  /** @param at number of batches sent before */
  batch(at: number): Buffer;
}

const FLOODS: Readonly<Record<string, Flood>> = {
  pings: { batch: () => times(500, () => ping()) },
  settings: { batch: (at) => times(100, (n) => settings([[SETTING.initialWindowSize, at + n]])) },
  "empty settings": { batch: () => times(500, () => settings()) },
  "window updates": { batch: () => times(500, () => windowUpdate(0, 1)) },
  priorities: {
    batch: (at) =>
      times(500, (n) => frame(FRAME.priority, { stream: (at * 500 + n) * 2 + 1, payload: Buffer.alloc(5, 0) })),
  },
  "frames of unknown types": { batch: () => times(500, (n) => frame(20 + (n % 200), { payload: Buffer.alloc(8) })) },
  "requests that are reset": {
    batch: (at) => times(100, (n) => Buffer.concat([request((at * 100 + n) * 2 + 1), reset((at * 100 + n) * 2 + 1)])),
  },
  "a head without an end": {
    first: frame(FRAME.headers, { stream: 1, payload: headerBlock(requestFields("GET", "/version")) }),
    batch: () => times(100, () => frame(FRAME.continuation, { stream: 1, payload: field })),
  },
  "a head of nothing": {
    first: frame(FRAME.headers, { stream: 1, payload: headerBlock(requestFields("GET", "/version")) }),
    batch: () => times(500, () => frame(FRAME.continuation, { stream: 1 })),
  },
  "data of nothing": {
    first: headers(1, post, FLAG.endHeaders),
    batch: () => times(500, () => frame(FRAME.data, { stream: 1 })),
  },
  "data of a byte": {
    first: headers(1, post, FLAG.endHeaders),
    batch: () => times(500, () => frame(FRAME.data, { stream: 1, payload: Buffer.from(" ") })),
  },
};

test.each(Object.entries(FLOODS))("%s", async (_what, { first = Buffer.alloc(0), batch }) => {
  const { ca: _, ...as } = server.authority.user("operator", ["system:masters"]);
  const flood = async () => {
    const connection = await RawConnection.open({ port: server.port, protocol: "h2", as });
    connection.write(Buffer.concat([hello, first]));
    for (let at = 0; at < BATCHES && !connection.closed; at += 1) {
      const taken = new Promise((resolve) => connection.socket.write(batch(at), () => resolve(true)));
      // The server may also stop reading.
      if (!(await Promise.race([taken, sleep(3000, false)]))) break;
      connection.forget();
    }
    connection.destroy();
  };
  const { program } = server;
  const before = program.residentMebibytes();
  let over = false;
  let served = 0;
  const serve = async () => {
    while (!over || served < 20) {
      await expectStatus(200, server.admin.get(configMapsPath()));
      served += 1;
    }
  };
  await Promise.all([Promise.all([flood(), flood()]).finally(() => (over = true)), serve()]);
  await eventually("memory is near what it was", async () => program.residentMebibytes() < before + 60, {
    timeoutMs: 30_000,
    pauseMs: 250,
  });
  expect(program.running).toBe(true);
  expect(program.logTail).not.toMatch(/uncaught|unhandled/i);
});

const figure = async (reason: string): Promise<number> => {
  const { body } = await server.admin.get("/metrics");
  return Number(
    new RegExp(`^apiserver_connections_closed_total\\{reason="${reason}"\\} (\\d+)`, "m").exec(body)?.[1] ?? 0,
  );
};

test.each([
  ["at once", 1000],
  ["in small parts", 20],
])("a client that requests and cancels, %s, is disconnected early", async (_what, batch) => {
  const before = await figure("resets");
  const { ca: _, ...as } = server.authority.user("operator", ["system:masters"]);
  const connection = await RawConnection.open({ port: server.port, protocol: "h2", as });
  connection.write(hello);
  for (let at = 0; at < 1000 && !connection.closed; at += batch) {
    connection.write(times(batch, (n) => Buffer.concat([request((at + n) * 2 + 1), reset((at + n) * 2 + 1)])));
    await sleep(1, undefined);
  }
  await eventually("it is closed", async () => connection.closed);
  await eventually("it is counted", async () => (await figure("resets")) === before + 1);
});

/** Error codes of reset streams. */
const resets = ({ received }: RawConnection): readonly number[] =>
  readFrames(received)
    .frames.filter(({ type }) => type === FRAME.reset)
    .map(({ payload }) => payload.readUInt32BE(0));
/** Advertised values of SETTINGS_MAX_CONCURRENT_STREAMS. */
const streamsTold = ({ received }: RawConnection): readonly number[] =>
  readFrames(received)
    .frames.filter(({ type }) => type === FRAME.settings)
    .flatMap(({ payload }) => Array.from({ length: payload.length / 6 }, (_, at) => payload.subarray(at * 6)))
    .filter((setting) => setting.readUInt16BE(0) === SETTING.maxConcurrentStreams)
    .map((setting) => setting.readUInt32BE(2));
const REFUSED_STREAM = 7;
/** Streams per connection. */
const STREAMS = 100;

const headsOf = (count: number, bytes: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "a".repeat(bytes)]));

test.each([
  ["one large field", 200, headsOf(1, 60_000)],
  ["one field that is too large", 431, headsOf(1, 66_000)],
  ["fields that are too large together", 431, headsOf(50, 2000)],
  ["many fields", 200, headsOf(1500, 1)],
])("a head of %s is answered %d, and the connection goes on", async (_what, expected, fields) => {
  const session = connect(`https://127.0.0.1:${server.port}`, {
    rejectUnauthorized: false,
    maxSendHeaderBlockLength: 1_000_000,
  });
  const statusOf = (more: OutgoingHttpHeaders) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":path": "/version", ...more });
      stream.on("response", (answer) => resolve(answer[":status"]));
      stream.on("error", reject);
      stream.resume().end();
    });
  expect([await statusOf(fields), await statusOf({})]).toEqual([expected, 200]);
  session.destroy();
});

test("a connection brings no more than its share: what is beyond that is refused", async () => {
  const connection = await RawConnection.open({ port: server.port, protocol: "h2" });
  const anyone = (n: number) => headers(n * 2 + 1, requestFields("GET", "/version"));
  // With an initial window of 0 no response can end.
  const nothing = Buffer.concat([PREFACE, settings([[SETTING.initialWindowSize, 0]])]);
  connection.write(Buffer.concat([nothing, times(240, anyone)]));
  await eventually("the others are refused", async () => resets(connection).length === 240 - STREAMS);
  expect(new Set(resets(connection))).toEqual(new Set([REFUSED_STREAM]));
  expect(streamsTold(connection)).toEqual([STREAMS]);
  connection.destroy();
});

test("a client that asks for all that it may at once is answered, and may give up all of it", async () => {
  const { ca: _, ...as } = server.authority.user("operator", ["system:masters"]);
  const connection = await RawConnection.open({ port: server.port, protocol: "h2", as });
  connection.write(Buffer.concat([hello, times(STREAMS, (n) => request(n * 2 + 1))]));
  const answered = () =>
    readFrames(connection.received).frames.filter(
      ({ type, flags }) => type !== FRAME.settings && (flags & FLAG.endStream) !== 0,
    );
  await eventually("all are answered", async () => answered().length === STREAMS);
  const watch = (n: number) => headers(n, requestFields("GET", `${configMapsPath()}?watch=1`));
  const more = (n: number) => (STREAMS + n) * 2 + 1;
  connection.write(times(STREAMS, (n) => watch(more(n))));
  await sleep(200, undefined);
  connection.write(times(STREAMS, (n) => reset(more(n))));
  const last = more(STREAMS);
  connection.write(request(last));
  await eventually("the next one is answered", async () => answered().some(({ stream }) => stream === last));
  connection.destroy();
});
