// What the heads of requests say of who asks and whom, in ways that others on the way may read otherwise.
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { CONFIG_MAPS } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let session: ClientHttp2Session;

useServer((running) => ({ server } = running));

beforeAll(() => {
  const { certificate: cert, key } = server.admin;
  session = connectHttp2(server.url, { ca: server.ca, cert, key });
});
afterAll(() => session.destroy());

interface Heard {
  readonly code: number;
  readonly text: string;
}

/** Lines after the request line, sent by the operator over HTTP/1.1 to the letter. */
const send = (line: string, ...headers: string[]) =>
  new Promise<Heard>((resolve, reject) => {
    const { certificate: cert, key } = server.admin;
    const socket = connect({ port: server.port, host: "127.0.0.1", ca: server.ca, cert, key }, () =>
      socket.write(`${[line, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`),
    );
    let heard = "";
    socket.on("data", (piece) => {
      heard += String(piece);
    });
    socket.on("close", () => resolve({ code: Number(heard.split(" ")[1]), text: heard }));
    socket.on("error", reject);
  });

const GET = `GET ${CONFIG_MAPS} HTTP/1.1`;

/** GET over HTTP/2, and what is heard of it. */
async function sendHttp2(headers: Readonly<Record<string, string | string[]>>): Promise<Heard> {
  const stream = session.request({ ":path": CONFIG_MAPS, ...headers });
  const code = await new Promise<number>((resolve, reject) => {
    stream.once("response", (head) => resolve(Number(head[":status"])));
    stream.once("error", reject);
  });
  let text = "";
  for await (const piece of stream) text += String(piece);
  return { code, text };
}

describe("who asks as somebody else is not answered as himself", () => {
  test.each([
    "Impersonate-User: jane",
    "Impersonate-User:",
    "impersonate-group: system:masters",
    "IMPERSONATE-UID: 1",
    "Impersonate-Extra-Scopes: view",
    "Impersonate-Extra-a%2Fb: c",
    "Impersonate-Extra-:",
    "Impersonate-:",
    "Impersonate-What-Comes-In-Later-Releases: x",
  ])("by %s", async (header) => {
    const [name = "", value = ""] = header.split(":", 2);
    for (const { code, text } of [
      await send(GET, "Host: a", header),
      await send(GET, "Host: a", header, header),
      await sendHttp2({ [name.toLowerCase()]: value.trim() }),
    ]) {
      expect(code).toBe(403);
      expect(text).toContain(`${name.toLowerCase()}: this server knows no impersonation`);
    }
  });

  test("by a header after more of them than anybody sends", async () => {
    const padding = Array.from({ length: 3000 }, (_, at) => `X-${at}: y`);
    expect(await send(GET, "Host: a", ...padding)).toMatchObject({ code: 200 });
    expect(await send(GET, "Host: a", ...padding, "Impersonate-User: jane")).toMatchObject({ code: 403 });
    expect(await send(GET, "Host: a", ...padding, "Host: b")).toMatchObject({ code: 400 });
  });

  test.each(["X-Impersonate-User: jane", "Impersonator: jane", "X-Remote-User: jane"])(
    "but %s means nothing",
    async (header) => expect((await send(GET, "Host: a", header)).code).toBe(200),
  );
});

describe("whom a request is for is said once", () => {
  test.each<[string, string[], number]>([
    ["one host", ["Host: api.example:6443"], 200],
    ["an empty host", ["Host:"], 200],
    ["two hosts", ["Host: api.example", "Host: other.example"], 400],
    ["one host twice", ["Host: api.example", "host: api.example"], 400],
    ["an empty and a second one", ["Host:", "Host: api.example"], 400],
    ["two hosts apart", ["Host: api.example", "X-Other: 1", "HOST: other.example"], 400],
    ["two hosts in one line", ["Host: api.example, other.example"], 400],
    ["a host with a path", ["Host: api.example/x"], 400],
    ["a host with a user", ["Host: me@api.example"], 400],
    ["no host", [], 400],
  ])("%s", async (_what, headers, code) => {
    const heard = await send(GET, ...headers);
    expect(heard.code).toBe(code);
    if (code === 400) expect(heard.text).toMatch(/"kind": ?"Status"[\s\S]*Host header/);
  });

  test.each<[string, number]>([
    ["https://api.example:6443", 200],
    ["http://other.example", 200],
    ["http://[::1]:80", 200],
    ["https://me@api.example", 400],
    ["ftp://api.example", 400],
  ])("a target at %s counts instead of the header", async (origin, code) => {
    const target = `${origin}${CONFIG_MAPS}`;
    expect((await send(`GET ${target} HTTP/1.1`, "Host: a")).code).toBe(code);
    expect((await send(`GET ${target} HTTP/1.1`, "Host: a", "Host: a")).code).toBe(400);
    expect((await send(`GET ${target} HTTP/1.1`)).code).toBe(400);
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ["that of :authority", { ":authority": "api.example" }, 200],
    ["both alike", { ":authority": "api.example", host: "API.example:443" }, 200],
    ["both different", { ":authority": "api.example", host: "other.example" }, 400],
    ["both, of different ports", { ":authority": "api.example:1", host: "api.example:2" }, 400],
    ["one with a user", { ":authority": "me@api.example" }, 400],
  ])("over HTTP/2: %s", async (_what, headers, code) => expect((await sendHttp2(headers)).code).toBe(code));
});
