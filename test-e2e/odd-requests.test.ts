// Every input on a connection is answered or ends that connection, and has no other effect.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath } from "./harness/config-maps";
import { type ReadAnswers, readAnswers } from "./harness/http-answers";
import { FLAG, FRAME, frame, headers, PREFACE, readFrames, requestFields, settings } from "./harness/http2-frames";
import { useWorkplace } from "./harness/processes";
import { RawConnection } from "./harness/raw-connection";

const workplace = useWorkplace();
let server: ApiServer;
let pid: number;
const open: RawConnection[] = [];

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  ({ pid } = server.program);
});

afterEach(async () => {
  for (const connection of open.splice(0)) connection.destroy();
  expect(await server.admin.get("/readyz")).toMatchObject({ status: 200 });
  expect([server.program.running, server.program.pid]).toEqual([true, pid]);
  expect(server.program.logTail).not.toMatch(/uncaught|unhandled/i);
});

async function connect(protocol: "http/1.1" | "h2" = "http/1.1"): Promise<RawConnection> {
  const connection = await RawConnection.open({ port: server.port, protocol });
  open.push(connection);
  return connection;
}

/** Returns the answers when a number of final ones have arrived, or the connection is closed. */
async function answersTo(text: string, count = 1): Promise<ReadAnswers & { readonly codes: readonly number[] }> {
  const connection = await connect();
  connection.write(text);
  const read = () => readAnswers(connection.text);
  const finals = () => read().answers.filter(({ code }) => code >= 200);
  await connection.until("answers", () => connection.closed || finals().length >= count || read().wrong !== undefined);
  return { ...read(), codes: read().answers.map(({ code }) => code) };
}

const HOST = "Host: example.com\r\n";
const ADMIN = `${HOST}Authorization: Bearer admin-token\r\n`;
const get = (target: string, more = HOST) => `GET ${target} HTTP/1.1\r\n${more}\r\n`;

describe("a request line", () => {
  test.each<[string, number]>([
    [get("http://?"), 400],
    [get("http://"), 400],
    [get("http://[::1"), 400],
    [get("http://user@host/version"), 400],
    [get("ftp://host/version"), 400],
    [get("host:443"), 400],
    [get("*"), 400],
    [get("/%"), 400],
    [get("http://example.com/version"), 200],
    [get("https://[::1]:6443/version?a=b"), 200],
    [get("http://example.com"), 403],
    [get("http://example.com/version", ""), 400],
    [get("/version", ""), 400],
    ["GET /version HTTP/1.0\r\n\r\n", 200],
    [`GET /version HTTP/2.0\r\n${HOST}\r\n`, 505],
    [`GET /version HTTP/0.9\r\n${HOST}\r\n`, 505],
    [`GET /version HTTP/3.1\r\n${HOST}\r\n`, 400],
    [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 204],
    [`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 405],
    [`BREW /version HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["\0\0\0\0", 400],
  ])("%j is answered %i", async (text, code) => {
    const { answers, wrong } = await answersTo(`${text}`);
    expect(wrong).toBeUndefined();
    expect(answers[0]?.code).toBe(code);
    if (code >= 400) expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ kind: "Status", code });
  });

  test("in its absolute form names the host that counts", async () => {
    const upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    const watch = (target: string, origin: string) =>
      answersTo(
        get(target, `Host: other\r\nAuthorization: Bearer admin-token\r\nOrigin: https://${origin}\r\n${upgrade}`),
      );
    const path = "/api/v1/namespaces?watch=1";
    expect((await watch(`https://own${path}`, "own")).codes).toEqual([101]);
    expect((await watch(`https://own${path}`, "other")).codes).toEqual([403]);
  });

  test("a request with an unknown HTTP/2 method is answered", async () => {
    const connection = await connect("h2");
    const asked = [
      requestFields("CONNECT", "/").filter(([name]) => name === ":method" || name === ":authority"),
      requestFields("OPTIONS", "*"),
      requestFields("GET", "/version", [["expect", "something"]]),
      requestFields("GET", "/version"),
    ];
    connection.write(Buffer.concat([PREFACE, settings(), ...asked.map((fields, at) => headers(at * 2 + 1, fields))]));
    const answered = () => {
      const { frames } = readFrames(connection.received);
      const ends = frames.filter(
        ({ type, flags }) => (type === FRAME.headers || type === FRAME.data) && (flags & FLAG.endStream) !== 0,
      );
      return [...new Set(ends.map(({ stream }) => stream))].sort();
    };
    await connection.until("all answers", () => connection.closed || answered().length === asked.length);
    expect(answered()).toEqual([1, 3, 5, 7]);
  });
});

describe("several requests in one packet", () => {
  const version = get("/version");
  const upgrade = `GET /version HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  const map = (name: string) => JSON.stringify(configMap(name));
  const post = (name: string, more = "") =>
    `POST ${configMapsPath()} HTTP/1.1\r\n${ADMIN}${more}Content-Type: application/json\r\nContent-Length: ${map(name).length}\r\n\r\n${map(name)}`;
  const chunked = (name: string) =>
    `POST ${configMapsPath()} HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
    `${map(name).length.toString(16)}\r\n${map(name)}\r\n0\r\n\r\n`;

  test.each<[string, string, readonly number[]]>([
    ["the second an upgrade", version + upgrade, [200, 200]],
    ["an upgrade, and more after it", upgrade + version, [200]],
    ["a write, and an upgrade", post("before-upgrade") + upgrade, [201, 200]],
    ["many and an upgrade", version.repeat(20) + upgrade, [...Array(20).fill(200), 200]],
    ["the second to CONNECT", `${version}CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`, [200, 405]],
    ["two upgrades", upgrade + upgrade, [200]],
    ["bodies in both framings", post("p1") + chunked("p2") + post("p3") + version, [201, 201, 201, 200]],
    ["one that waits for a word before its body", post("p4", "Expect: 100-continue\r\n") + version, [100, 201, 200]],
    ["one that waits for something else", post("p5", "Expect: a-miracle\r\n") + version, [417, 200]],
    ["the second broken", `${version}GET\r\n\r\n`, [200, 400]],
    ["the last of many broken", `${version.repeat(5)}\0\0\0`, [200, 200, 200, 200, 200, 400]],
    ["the second of another version", `${version}GET /version HTTP/2.0\r\n\r\n`, [200, 505]],
    ["the body of the first broken", `${chunked("p6").replace("\r\n\r\n", "\r\n\r\nzz")}${version}`, [400]],
    [
      "the first to hang up after",
      `GET /version HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n${version}${upgrade}`,
      [200],
    ],
  ])("%s: each is answered in turn", async (_what, text, codes) => {
    const { wrong, rest, ...found } = await answersTo(text, codes.filter((code) => code >= 200).length);
    expect([wrong, rest, found.codes]).toEqual([undefined, "", codes]);
  });

  test("are answered in order however many there are, up to a bound at which the connection ends", async () => {
    const count = 100;
    const paths = Array.from({ length: count }, (_, at) => `/nothing-${at}`);
    const { answers } = await answersTo(paths.map((path) => get(path, ADMIN)).join(""), count);
    expect(answers).toHaveLength(count);
    const connection = await connect();
    connection.write(get("/version").repeat(3000));
    await connection.untilClosed();
  });

  test("behind a watch leave nothing behind when the client goes", async () => {
    const gauge = async (name: string) => {
      const { body } = await server.admin.get("/metrics");
      return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(body)?.[1]);
    };
    for (let round = 0; round < 20; round += 1) {
      const connection = await connect();
      connection.write(get("/api/v1/namespaces?watch=1", ADMIN) + get(configMapsPath(), ADMIN).repeat(50));
      await connection.until("the watch", () => connection.text.includes("ADDED"));
      connection.destroy();
    }
    const { program } = server;
    expect(program.running).toBe(true);
    // 1,000 requests: more than the in-flight limit.
    expect((await server.client({ ...server.admin.credentials, token: "viewer-token" }).get("/version")).status).toBe(
      200,
    );
    expect(await gauge("apiserver_open_requests")).toBeLessThan(10);
  });
});

test("a client that disconnects at any point affects only itself", async () => {
  const bodies = JSON.stringify(configMap("left"));
  const whole = `POST ${configMapsPath()} HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\nContent-Length: ${bodies.length}\r\n\r\n${bodies}`;
  for (let length = 0; length <= whole.length; length += 7) {
    const connection = await connect();
    connection.write(whole.slice(0, length));
    connection.destroy();
  }
  const h2 = Buffer.concat([
    PREFACE,
    settings(),
    headers(1, requestFields("GET", "/version")),
    frame(FRAME.reset, { stream: 1, payload: Buffer.alloc(4) }),
  ]);
  for (let length = 0; length <= h2.length; length += 5) {
    const connection = await connect("h2");
    connection.write(h2.subarray(0, length));
    connection.destroy();
  }
});
