// Clients that occupy resources without reading answers: all other clients are served as before.
import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import {
  FLAG,
  FRAME,
  frame,
  headers,
  PREFACE,
  readFrames,
  requestFields,
  SETTING,
  settings,
} from "./harness/http2-frames";
import type { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import { RawConnection, type RawOptions } from "./harness/raw-connection";

const workplace = useWorkplace();
const maps = configMapsPath();
/** Streams per connection. */
const STREAMS = 100;
let server: ApiServer;
let modest: ApiClient;
let anybody: ApiClient;
const open: RawConnection[] = [];

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  modest = server.client(server.authority.user("modest", ["writers"]));
  anybody = server.client(server.authority.anonymous());
  const binding = {
    apiVersion: "rbac.authorization.orch.io/v1",
    kind: "RoleBinding",
    metadata: { name: "writers" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "admin" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "Group", name: "writers" }],
  };
  await expectStatus(
    201,
    server.admin.post("/apis/rbac.authorization.orch.io/v1/namespaces/default/rolebindings", binding),
  );
  await eventually("the binding counts", async () => (await modest.get(maps)).status === 200);
  await expectStatus(201, modest.post(maps, configMap("large", { filler: "x".repeat(1_000_000) })));
});

afterEach(async () => {
  for (const connection of open.splice(0)) connection.destroy();
  expect(server.program.logTail).not.toMatch(/uncaught|unhandled/i);
  await eventually("nothing is left", async () => (await figure("apiserver_open_requests")) <= 1);
  await eventually("nobody is in work", async () => {
    const kinds = ["readOnly", "mutating"].map((kind) =>
      figure(`apiserver_current_inflight_requests{request_kind="${kind}"}`),
    );
    return (await Promise.all(kinds)).every((count) => count <= 1);
  });
  // The gauge shows the load of up to a second ago.
  await eventually("no body is kept", async () => (await figure("apiserver_request_body_bytes")) === 0);
});

async function connect(options: Omit<RawOptions, "port">): Promise<RawConnection> {
  const connection = await RawConnection.open({ port: server.port, ...options });
  open.push(connection);
  return connection;
}

async function figure(name: string): Promise<number> {
  const line = (await server.admin.get("/metrics")).body.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

let written = 0;

/** Requests of an unprivileged user, and health probes. */
async function expectServed(): Promise<void> {
  await inParallel(50, 5, async () => {
    const name = `written-${written++}`;
    await expectStatus(201, modest.post(maps, configMap(name)));
    await expectStatus(200, modest.get(`${maps}/${name}`));
    expect((await anybody.get("/readyz")).status).toBe(200);
  });
}

const headsOn = (connection: RawConnection): number =>
  readFrames(connection.received).frames.filter(({ type }) => type === FRAME.headers).length;

/** Repeats the same request. */
const many = (count: number, fields: Parameters<typeof headers>[1], flags?: number): readonly Buffer[] =>
  Array.from({ length: count }, (_, at) => headers(at * 2 + 1, fields, flags));

/** Sends the same request on many streams of one connection with a closed window. */
async function askUnread(path: string, count: number, as?: RawOptions["as"]): Promise<RawConnection> {
  const connection = await connect({ protocol: "h2", ...(as === undefined ? {} : { as }) });
  const asked = many(count, requestFields("GET", path));
  connection.write(Buffer.concat([PREFACE, settings([[SETTING.initialWindowSize, 0]]), ...asked]));
  await connection.until("all heads", () => headsOn(connection) === count || connection.closed);
  return connection;
}

const streamEnds = (connection: RawConnection): number =>
  readFrames(connection.received).frames.filter(({ type }) => type === FRAME.reset).length;

test("unread answers and missing bodies affect no other clients and are ended", async () => {
  const unread = await Promise.all(Array.from({ length: 5 }, () => askUnread("/version", STREAMS)));
  await expectServed();
  const { ca: _, ...as } = server.authority.user("greedy", ["writers"]);
  const head = `POST ${maps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  const unsent: RawConnection[] = [];
  await inParallel(480, 16, async () => {
    const connection = await connect({ as });
    connection.write(`${head}{`);
    unsent.push(connection);
  });
  await expectServed();
  for (const connection of unsent) {
    await connection.untilClosed(60_000);
    expect(connection.text).toMatch(/^HTTP\/1\.1 408 /);
  }
  for (const connection of unread) {
    await connection.until("all are broken off", () => connection.closed || streamEnds(connection) === STREAMS, 60_000);
  }
  await expectServed();
}, 150_000);

test("writes over HTTP/2 whose clients await a word before the body, and send none: others write", async () => {
  const { ca: _, ...as } = server.authority.user("greedy", ["writers"]);
  const connections = await Promise.all(Array.from({ length: 5 }, () => connect({ protocol: "h2", as })));
  const fields = requestFields("POST", maps, [
    ["content-type", "application/json"],
    ["expect", "100-continue"],
  ]);
  const asked = many(STREAMS, fields, FLAG.endHeaders);
  for (const connection of connections) connection.write(Buffer.concat([PREFACE, settings(), ...asked]));
  for (const connection of connections)
    await connection.until("each is told to go on", () => headsOn(connection) >= STREAMS);
  await expectServed();
}, 120_000);

test("a user who is refused is not waited for: no word to go on, and no place", async () => {
  const { ca: _, ...as } = server.authority.user("nobody");
  const head = `POST ${maps} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  await inParallel(300, 16, async () => {
    const connection = await connect({ as });
    connection.write(head);
    await connection.until("the answer", () => connection.text.includes("\r\n\r\n"));
    expect(connection.text).toMatch(/^HTTP\/1\.1 403 /);
  });
  await expectServed();
});

test("one user with work for all places leaves some for others", async () => {
  const { ca: _, ...as } = server.authority.user("greedy", ["writers"]);
  // The request waits for a resource version that does not exist yet.
  const fields = requestFields("GET", `${maps}?resourceVersion=99999999`);
  const asked = many(STREAMS, fields);
  const connections = await Promise.all(Array.from({ length: 5 }, () => connect({ protocol: "h2", as })));
  for (const connection of connections) connection.write(Buffer.concat([PREFACE, settings(), ...asked]));
  await eventually("they are in work", async () => (await figure("apiserver_open_requests")) > 300);
  const codes: number[] = [];
  for (let round = 0; round < 20; round += 1) codes.push((await modest.get(maps)).status);
  expect(codes).toEqual(Array(20).fill(200));
});

test("unread large answers occupy no worker and end with the connection", async () => {
  const { ca: _, ...as } = server.authority.user("greedy", ["writers"]);
  const before = await figure("apiserver_open_requests");
  await askUnread(`${maps}/large`, 60, as);
  await expectServed();
  await eventually("they are seen", async () => (await figure("apiserver_unread_bytes")) > 50_000_000);
  for (const connection of open.splice(0)) connection.destroy();
  await eventually("they are gone", async () => (await figure("apiserver_open_requests")) <= before);
});

test("streams that are opened and reset at once, for as long as the connection lasts", async () => {
  const { ca: _, ...as } = server.authority.user("greedy", ["writers"]);
  const burst = (from: number) =>
    Array.from({ length: 100 }, (_, at) => {
      const stream = (from + at) * 2 + 1;
      return [
        headers(stream, requestFields("GET", `${maps}/large`)),
        frame(FRAME.reset, { stream, payload: Buffer.alloc(4, 8) }),
      ];
    }).flat();
  const flood = async () => {
    const connection = await connect({ protocol: "h2", as });
    connection.write(Buffer.concat([PREFACE, settings()]));
    for (let from = 0; from < 3000 && !connection.closed; from += 100) {
      connection.write(Buffer.concat(burst(from)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([flood(), flood(), expectServed()]);
});
