// Ambiguous request headers that proxies on the way may interpret differently.
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { CONFIG_MAPS } from "../testing/api-client";
import { sendHead, sendHttp2Head } from "../testing/raw-heads";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let session: ClientHttp2Session;

useServer((running) => ({ server } = running));

beforeAll(() => {
  const { certificate: cert, key } = server.admin;
  session = connectHttp2(server.url, { ca: server.ca, cert, key });
});
afterAll(() => session.destroy());

/** Sends the lines after the request line with the operator's certificate over HTTP/1.1. */
const send = (line: string, ...headers: string[]) => sendHead(server, server.admin, line, headers);

const GET = `GET ${CONFIG_MAPS} HTTP/1.1`;

const sendHttp2 = (headers: Readonly<Record<string, string | string[]>>) =>
  sendHttp2Head(session, CONFIG_MAPS, headers);

describe("an unknown impersonation header is rejected instead of ignored", () => {
  test.each(["Impersonate-:", "Impersonate-What-Comes-In-Later-Releases: x", "impersonate_user: jane"])(
    "the header %s",
    async (header) => {
      const [name = "", value = ""] = header.split(":", 2);
      for (const { code, text } of [
        await send(GET, "Host: a", header),
        await send(GET, "Host: a", header, header),
        await sendHttp2({ [name.toLowerCase()]: value.trim() }),
      ]) {
        expect(code).toBe(403);
        expect(text).toContain(`${name.toLowerCase()}: unknown impersonation header`);
      }
    },
  );

  test("a header after the maximum number of headers is rejected", async () => {
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

describe("a request has exactly one host", () => {
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
