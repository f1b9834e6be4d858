// Damaged requests are answered with a Status that names the fault, and the server continues to work.
import { connect as connectTcp } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse as parseYaml } from "yaml";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, within } from "./harness/eventually";
import type { Answer, SendOptions } from "./harness/https-client";
import { mutated, mutatedText, type PlainRequest, VALID_REQUESTS } from "./harness/mutations";
import { useWorkplace } from "./harness/processes";
import { PROTOBUF, ProtobufMessages } from "./harness/protobuf-messages";
import { seededRandom } from "./harness/random";

const MEBIBYTE = 1024 * 1024;
const MUTATIONS = 9000;
const RAW_MUTATIONS = 1000;
const SEED = 4242;
const SILENCE = "nothing within 10 s";

const workplace = useWorkplace();
const messages = new ProtobufMessages([]);
let server: ApiServer;

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  server = await startApiServer(workplace, {
    store: { kind: "etcd", endpoints: etcd.endpoints },
    flags: ["--request-timeout=5s"],
  });
}, 60_000);

const maps = configMapsPath();
const post = (body: string | Buffer, headers: Record<string, string> = {}): SendOptions => ({
  method: "POST",
  body,
  headers,
});
const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const withData = (data: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"data":${data}}`;

test.each<[string, number, string, SendOptions]>([
  ["no body", 400, maps, post("")],
  ["half a JSON document", 400, maps, post('{"apiVersion":"v1","kind":"Conf')],
  ["two JSON documents", 400, maps, post(`${JSON.stringify(configMap("a"))}${JSON.stringify(configMap("b"))}`)],
  ["an array", 400, maps, post("[]")],
  ["null", 400, maps, post("null")],
  ["a number", 400, maps, post("7")],
  ["a text where a map belongs", 400, maps, post(withData('"text"'))],
  ["a number where a text belongs", 400, maps, post(withData('{"a":1}'))],
  ["a list where metadata belongs", 400, maps, post('{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}')],
  ["another kind", 400, maps, post('{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bad"}}')],
  ["another version", 400, maps, post('{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"bad"}}')],
  [
    "another namespace",
    400,
    maps,
    post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","namespace":"other"}}'),
  ],
  ["a name that is none", 422, maps, post(JSON.stringify(configMap("Not_A_Name")))],
  ["labels that are none", 422, maps, post(JSON.stringify(configMap("bad", {}, { labels: { "a b": "c d" } })))],
  ["brackets nested 100,000 deep", 400, maps, post(nested(100_000))],
  ["values nested 20,000 deep", 400, maps, post(withData(nested(20_000)))],
  ["a body of more than 3 MiB", 413, maps, post(withData(`{"a":"${"x".repeat(3 * MEBIBYTE)}"}`))],
  ["a content type that is not taken", 415, maps, post("{}", { "content-type": "text/plain" })],
  ["an answer type that is not made", 406, maps, { headers: { accept: "image/png" } }],
  ["a resource version that is none", 400, `${maps}?resourceVersion=new`, {}],
  ["a limit that is none", 400, `${maps}?limit=many`, {}],
  ["a continue token that is none", 400, `${maps}?limit=5&continue=later`, {}],
  ["a match without a version", 422, `${maps}?resourceVersionMatch=Exact`, {}],
  ["a match of unknown kind", 422, `${maps}?resourceVersion=1&resourceVersionMatch=Roughly`, {}],
  ["a label selector that is none", 400, `${maps}?labelSelector=a%20in%20(`, {}],
  ["a field that cannot be selected", 400, `${maps}?fieldSelector=data.a%3Db`, {}],
  ["a version that does not exist yet", 504, `${maps}?resourceVersion=99999999`, {}],
  ["an object that does not exist", 404, `${maps}/missing`, {}],
  ["a resource that does not exist", 404, "/api/v1/namespaces/default/nothings", {}],
  ["a method that the collection lacks", 405, maps, { method: "PUT", body: "{}" }],
  ["an unknown bearer token", 401, maps, { headers: { authorization: "Bearer wrong" } }],
  ["a token of strange characters", 401, maps, { headers: { authorization: "Bearer =?=.=?=.=?=" } }],
])("%s is answered %i with a Status", async (_what, code, path, options) => {
  const answer = await server.admin.send(path, { headers: {}, ...options });
  expect([answer.status, answer.body.slice(0, 300)]).toEqual([code, expect.any(String)]);
  expect(answer.statusBody()).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
  expect(answer.statusBody().message).not.toBe("");
});

test("a body just below 3 MiB that etcd cannot hold is refused or kept, never half", async () => {
  const answer = await server.admin.send(
    maps,
    post(JSON.stringify(configMap("large", { a: "x".repeat(3 * MEBIBYTE - 1000) }))),
  );
  expect([201, 413, 422]).toContain(answer.status);
  expect((await server.admin.get(`${maps}/large`)).status).toBe(answer.status === 201 ? 200 : 404);
});

describe("connections that say nothing, or too slowly", () => {
  const open = () =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connectTls({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false }, () =>
        resolve(socket),
      );
      socket.once("error", reject);
    });

  test("are ended in bounded time, and others are served meanwhile", async () => {
    const head = `POST ${maps} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\n`;
    const sockets = {
      "no TLS at all": connectTcp(server.port, "127.0.0.1"),
      "plain HTTP": connectTcp(server.port, "127.0.0.1"),
      "half a request line": await open(),
      "headers that never end": await open(),
      "a body that never ends": await open(),
    };
    const open_ = new Set(Object.keys(sockets));
    for (const [name, socket] of Object.entries(sockets)) {
      socket.on("error", () => undefined);
      socket.once("close", () => open_.delete(name));
      socket.resume();
    }
    sockets["plain HTTP"].write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    sockets["half a request line"].write("GET /api");
    sockets["headers that never end"].write(head);
    sockets["a body that never ends"].write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a`);
    const drip = setInterval(() => {
      if (!sockets["headers that never end"].destroyed) sockets["headers that never end"].write("X-A: b\r\n");
      if (!sockets["a body that never ends"].destroyed) sockets["a body that never ends"].write(" ");
    }, 1000);
    try {
      await eventually(
        `closed: ${[...open_]}`,
        async () => {
          expect((await server.admin.get("/readyz")).status).toBe(200);
          return open_.size === 0;
        },
        { timeoutMs: 90_000, pauseMs: 500 },
      ).catch((error) => {
        throw new Error(`still open: ${[...open_].join(", ")} (${(error as Error).message})`);
      });
    } finally {
      clearInterval(drip);
      for (const socket of Object.values(sockets)) socket.destroy();
    }
  }, 120_000);
});

test("10,000 random mutations of valid requests: a Status each time, no 5xx, no crash, memory returns to its level", async () => {
  const random = seededRandom(SEED);
  const wrong: string[] = [];
  const pid = server.program.pid;
  const send = async (request: PlainRequest) => {
    const complaint = await complaintAbout(request);
    if (complaint !== undefined)
      wrong.push(`${request.method} ${pathOf(request)} ${request.body.slice(0, 300)}: ${complaint}`);
  };
  const round = (count: number) => inParallel(count, 32, () => send(mutated(random, random.pick(VALID_REQUESTS))));

  await round(MUTATIONS / 3);
  const levelMebibytes = server.program.residentMebibytes();
  await round((2 * MUTATIONS) / 3);
  for (let count = 0; count < RAW_MUTATIONS / 100; count += 1) {
    await inParallel(100, 10, async () => {
      const raw = mutatedText(random, mutatedText(random, rawOf(random.pick(VALID_REQUESTS))));
      const first = await sendRaw(raw);
      const bad = first === SILENCE || (/^HTTP\/1\.1 5/.test(first) && !MAY_BE_SAID.test(first));
      if (bad) wrong.push(`${raw.slice(0, 300)}: ${first.slice(0, 200)}`);
    });
  }

  expect(wrong.slice(0, 10)).toEqual([]);
  expect(server.program.running && server.program.pid === pid).toBe(true);
  expect(server.program.logTail).not.toMatch(/uncaught|unhandled/i);
  await server.admin.delete(`${maps}/mutated`);
  await expectStatus(201, server.admin.post(maps, configMap("mutated")));
  await expectStatus(200, server.admin.get(`${maps}/mutated`));
  await eventually(
    `memory is near ${levelMebibytes.toFixed()} MiB again; it is ${server.program.residentMebibytes().toFixed()}`,
    async () => server.program.residentMebibytes() < levelMebibytes * 1.3 + 30,
    { timeoutMs: 30_000, pauseMs: 500 },
  );
}, 300_000);

/** A resource version in the future, and an HTTP version in a damaged request line. */
const MAY_BE_SAID = /Too large resource version|^HTTP\/1\.1 505/;

function pathOf({ path, query }: PlainRequest): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Returns the fault of an answer, if there is one. */
async function complaintAbout(request: PlainRequest): Promise<string | undefined> {
  const { method, headers, body } = request;
  let answer: Answer;
  try {
    answer = await server.admin.send(pathOf(request), {
      method,
      headers,
      body,
      timeoutMs: 15_000,
      headersOnly: (status) => status === 200 && "watch" in request.query,
    });
  } catch (error) {
    return String(error);
  }
  if (answer.status < 400) return undefined;
  const noSuchVersionYet = answer.status === 504 && answer.body.includes("Too large resource version");
  if (answer.status >= 500 && !noSuchVersionYet) return `${answer.status} ${answer.body.slice(0, 200)}`;
  if (method === "HEAD") return undefined;
  try {
    const { kind, code, paths } = contentOf(answer);
    // Paths outside the API are answered with the list of existing paths.
    if (paths !== undefined || (kind === "Status" && code === answer.status)) return undefined;
  } catch {
    // Reported below.
  }
  return `${answer.status} is no Status: ${answer.body.slice(0, 200)}`;
}

/** Decodes an answer in the format that the damaged request selected. @throws Error for content of another format */
function contentOf({ headers, body, bytes }: Answer): { kind?: unknown; code?: unknown; paths?: unknown } {
  switch (headers["content-type"]) {
    case PROTOBUF: {
      const { kind, message } = messages.open(bytes);
      return { ...message, kind };
    }
    case "application/yaml":
      return parseYaml(body);
    default:
      return JSON.parse(body);
  }
}

function rawOf(request: PlainRequest): string {
  const headers = Object.entries({
    host: "127.0.0.1",
    authorization: "Bearer admin-token",
    connection: "close",
    ...request.headers,
    "content-length": `${Buffer.byteLength(request.body)}`,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${request.method} ${pathOf(request)} HTTP/1.1\r\n${head}\r\n${request.body}`;
}

/** Sends raw bytes; returns the beginning of the answer, "" when the connection was closed. */
async function sendRaw(text: string): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false });
  const answered = new Promise<string>((resolve) => {
    socket.once("data", (data: Buffer) => resolve(data.toString("latin1")));
    socket.once("close", () => resolve(""));
    socket.once("error", () => resolve(""));
  });
  socket.end(text); // a request that damage made longer than what was sent ends here
  const answer = await within(10_000, "an answer", answered).catch(() => SILENCE);
  socket.destroy();
  return answer;
}
