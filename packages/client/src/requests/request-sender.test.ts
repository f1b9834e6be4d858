// Tests requests over real connections to a server with configurable faults.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { constants } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Clock, silentLog, systemClock } from "@orch/platform";
import { answer, LocalServer, TestAuthority } from "../testing/local-server";
import { Client, type ClientOptions } from "./client";
import type { ClientMetrics } from "./client-metrics";

let authority: TestAuthority;
let server: LocalServer;
const clients: Client[] = [];

beforeAll(() => {
  authority = new TestAuthority();
});
afterAll(() => authority.remove());
beforeEach(async () => {
  server = await new LocalServer(authority).listen();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  server.stop();
});

/** Returns a clock whose short delays pass at once and are recorded. */
function hurriedClock(): { readonly clock: Clock; readonly waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, callback, options) => {
      if (options?.background === true || delayMs >= 30_000) return systemClock.after(delayMs, callback, options);
      waits.push(delayMs);
      return systemClock.after(0, callback);
    },
  };
  return { clock, waits };
}

function client(options: Partial<ClientOptions> = {}): Client {
  const unlimited = { perSecond: 0, burst: 0 };
  const made = new Client({ connection: server.connection(), program: "test", rateLimit: unlimited, ...options });
  clients.push(made);
  return made;
}

const status = (code: number, reason: string) => ({ kind: "Status", status: "Failure", code, reason, message: reason });

describe("a request", () => {
  test("is counted with every try, and with what the rate limit held it back for", async () => {
    let requests = 0;
    server.handler = (_, response) => {
      requests += 1;
      if (requests < 2) answer(response, 429, status(429, "Later"), { "retry-after": "1" });
      else answer(response, 200, { done: true });
    };
    const told: unknown[] = [];
    const { clock } = hurriedClock();
    const metrics: ClientMetrics = {
      tried: ({ method, url }, code, seconds) => told.push([method, new URL(url).pathname, code, seconds >= 0]),
      heldBack: (_place, seconds) => told.push(["held back", seconds > 0]),
    };
    // The clock shortens the wait of 20 s, in which a busy machine answers the first try.
    const rateLimit = { perSecond: 1 / 20, burst: 1 };
    await client({ clock, metrics, rateLimit }).getJson("/api/v1/namespaces/a/pods/b?pretty=0");
    const path = "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D";
    expect(told).toEqual([
      ["held back", false],
      ["GET", path, "429", true],
      ["held back", true],
      ["GET", path, "200", true],
    ]);
  });

  test("without an answer is counted as an error", async () => {
    const codes: string[] = [];
    const metrics: ClientMetrics = { tried: (_place, code) => codes.push(code), heldBack: () => {} };
    const lonely = client({ metrics });
    server.stop();
    await expect(lonely.getJson("/x")).rejects.toThrow();
    expect(codes).toEqual(["<error>"]);
  });

  test.each([429, 503, 500, 504])(
    "answered %i with Retry-After is sent again after that many seconds",
    async (code) => {
      let requests = 0;
      server.handler = (_, response) => {
        requests += 1;
        if (requests < 3) answer(response, code, status(code, "Later"), { "retry-after": String(requests) });
        else answer(response, 200, { done: true });
      };
      const { clock, waits } = hurriedClock();
      expect(await client({ clock }).getJson("/x")).toEqual({ done: true });
      expect(waits).toEqual([1000, 2000]);
    },
  );

  test.each([
    ["without Retry-After", 503, {}],
    ["with more Retry-After than a client waits", 503, { "retry-after": "3600" }],
    ["that is no question of time", 409, { "retry-after": "1" }],
  ])("that is refused %s is told to the caller", async (_how, code, headers) => {
    let requests = 0;
    server.handler = (_, response) => {
      requests += 1;
      answer(response, code, status(code, "Conflict"), headers);
    };
    await expect(client().getJson("/x")).rejects.toMatchObject({ code });
    expect(requests).toBe(1);
  });

  test("gives up on a server that is never ready", async () => {
    let requests = 0;
    server.handler = (_, response) => {
      requests += 1;
      answer(response, 429, status(429, "TooManyRequests"), { "retry-after": "1" });
    };
    await expect(client({ clock: hurriedClock().clock }).getJson("/x")).rejects.toMatchObject({ code: 429 });
    expect(requests).toBe(11);
  });

  test("that gets no answer ends in time", async () => {
    server.handler = () => {};
    await expect(client().getJson("/x", { timeoutMs: 50 })).rejects.toThrow("no answer within 50 ms");
  });

  test("is ended by its signal, with the signal's reason", async () => {
    const stop = new AbortController();
    server.handler = () => stop.abort(new Error("not needed"));
    await expect(client().getJson("/x", { signal: stop.signal })).rejects.toThrow("not needed");
  });

  test("a truncated answer is an error", async () => {
    server.handler = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"items":');
      setTimeout(() => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR), 10);
    };
    await expect(client().getJson("/x")).rejects.toMatchObject({ name: "ConnectionError" });
  });

  test("tells who it comes from", async () => {
    let agent: unknown;
    server.handler = (request, response) => {
      agent = request.headers["user-agent"];
      answer(response, 200, {});
    };
    await client({ programVersion: "1.2.3", component: "leader-election" }).getJson("/x");
    expect(agent).toBe(`test/1.2.3 (${process.platform}/${process.arch}) orch/leader-election`);
  });

  test("waits for its turn when the client has asked a lot", async () => {
    server.handler = (_, response) => answer(response, 200, {});
    const { clock, waits } = hurriedClock();
    const fixed = { ...clock, elapsed: () => 0 };
    const limited = client({ clock: fixed, rateLimit: { perSecond: 10, burst: 2 } });
    for (let at = 0; at < 4; at += 1) await limited.getJson("/x");
    expect(waits).toEqual([100, 200]);
  });
});

describe("a connection", () => {
  test("that the server asks to leave is left, and requests go on over a new one", async () => {
    server.handler = (_, response) => answer(response, 200, {});
    const api = client();
    await api.getJson("/x");
    for (const session of server.sessions) session.goaway(constants.NGHTTP2_NO_ERROR);
    await Promise.all(Array.from({ length: 10 }, () => api.getJson("/x")));
    expect(server.handshakes).toBe(2);
  });

  test("that is lost fails no read, and a write whose outcome is unknown is not sent twice", async () => {
    let requests = 0;
    server.handler = (request, response) => {
      requests += 1;
      if (requests === 1 || request.method === "POST") response.stream.session?.destroy();
      else answer(response, 200, {});
    };
    const api = client();
    await api.getJson("/x");
    expect(requests).toBe(2);
    const type = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
    await expect(api.resource(type).namespace("a").create({})).rejects.toMatchObject({ name: "ConnectionError" });
    expect(requests).toBe(3);
  });

  test("that the server refused a write on, unprocessed, does not fail it", async () => {
    let requests = 0;
    server.handler = (_, response) => {
      requests += 1;
      if (requests === 1) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else answer(response, 201, { created: true });
    };
    const type = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
    expect(await client().resource(type).namespace("a").create({})).toEqual({ created: true });
  });

  test("is shared by watches and requests", async () => {
    server.handler = (request, response) => {
      if (request.url.includes("watch")) response.writeHead(200);
      else answer(response, 200, {});
      response.stream.on("error", () => {});
    };
    const api = client();
    const stop = new AbortController();
    const type = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
    const watching = Array.from({ length: 20 }, async () => {
      for await (const _ of api.resource(type).watch({ signal: stop.signal }));
    });
    await Promise.all(Array.from({ length: 20 }, () => api.getJson("/x")));
    expect(server.handshakes).toBe(1);
    stop.abort(new Error("enough"));
    for (const watch of watching) await expect(watch).rejects.toThrow("enough");
  });

  test("no connection is made to an untrusted server", async () => {
    const { ca: _, ...tls } = server.connection().tls;
    const connection = { ...server.connection(), tls };
    await expect(client({ connection }).getJson("/x")).rejects.toThrow(/certificate/);
    server.handler = (__, response) => answer(response, 200, { fine: true });
    const careless = { ...server.connection(), tls: { insecureSkipVerify: true } };
    expect(await client({ connection: careless }).getJson("/x")).toEqual({ fine: true });
  });

  test("is made anew when the client's certificate was renewed in its files", async () => {
    const files = { certificate: join(authority.folder, "live.crt"), key: join(authority.folder, "live.key") };
    const install = (name: string) => {
      const pair = authority.issue(name, "--cn", name);
      writeFileSync(files.certificate, pair.certificate);
      writeFileSync(files.key, pair.key);
    };
    const seen: unknown[] = [];
    let accepted = "before";
    server.handler = (request, response) => {
      const socket = request.stream.session?.socket as unknown as {
        getPeerCertificate(): { subject?: { CN?: string } };
      };
      const name = socket.getPeerCertificate().subject?.CN;
      seen.push(name);
      answer(response, name === accepted ? 200 : 401, {});
    };
    install("before");
    let elapsed = 0;
    const clock = { ...systemClock, elapsed: () => elapsed };
    const certificate = {
      certificate: { kind: "file", path: files.certificate },
      key: { kind: "file", path: files.key },
    } as const;
    const api = client({ clock, connection: server.connection({ certificate }) });
    await api.getJson("/x");
    install("after");
    await api.getJson("/x");
    accepted = "after";
    elapsed += 60_000;
    await api.getJson("/x");
    expect(seen).toEqual(["before", "before", "after"]);
    // A server that refuses the certificate makes it be read again without that pause.
    install("last");
    accepted = "last";
    elapsed += 2_000;
    await expect(api.getJson("/x")).rejects.toMatchObject({ code: 401 });
    await api.getJson("/x");
    expect(seen.slice(3)).toEqual(["after", "last"]);
  });
});

/** Returns a clock whose long background delays pass when the test says so. */
function heldClock(): { readonly clock: Clock; fire(delayMs: number): boolean; isHeld(delayMs: number): boolean } {
  const held = new Map<() => void, number>();
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, callback, options) => {
      if (options?.background !== true || delayMs < 60_000) return systemClock.after(delayMs, callback, options);
      held.set(callback, delayMs);
      return () => held.delete(callback);
    },
  };
  const isHeld = (delayMs: number) => [...held.values()].includes(delayMs);
  const fire = (delayMs: number): boolean => {
    const due = [...held].filter(([, ofMs]) => ofMs === delayMs);
    for (const [callback] of due) {
      held.delete(callback);
      callback();
    }
    return due.length > 0;
  };
  return { clock, fire, isHeld };
}

test.each([true, false])("a changed certificate closes connections, watches included (HTTP/2: %s)", async (http2) => {
  const files = { certificate: join(authority.folder, "w.crt"), key: join(authority.folder, "w.key") };
  const install = (name: string) => {
    const pair = authority.issue(name, "--cn", name);
    writeFileSync(files.certificate, pair.certificate);
    writeFileSync(files.key, pair.key);
  };
  server.handler = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
  };
  install("watch-before");
  const { clock, fire, isHeld } = heldClock();
  let elapsed = 0;
  const certificate = {
    certificate: { kind: "file", path: files.certificate },
    key: { kind: "file", path: files.key },
  } as const;
  const api = client({
    http2,
    clock: { ...clock, elapsed: () => elapsed },
    connection: server.connection({ certificate }),
  });
  const events = api.requestLines({ method: "GET", path: "/watch" });
  await events.next();
  const after = events.next();
  let ended = false;
  after.catch(() => {}).finally(() => (ended = true));
  elapsed += 300_000;
  expect(fire(300_000)).toBe(true);
  // Nothing has changed: the next check is due.
  while (!isHeld(300_000)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([fire(60_000), ended]).toEqual([false, false]);
  install("watch-after");
  elapsed += 300_000;
  fire(300_000);
  while (!fire(60_000)) await new Promise((resolve) => setTimeout(resolve, 10));
  await expect(after).rejects.toThrow("the connection was lost");
});

test("a server that speaks HTTP/1.1 alone is spoken to in it", async () => {
  server.stop();
  server = await new LocalServer(authority, { http2: false }).listen();
  server.handler = (request, response) => answer(response, 200, { version: request.httpVersion });
  const api = client();
  expect(await api.getJson("/x")).toEqual({ version: "1.1" });
  await Promise.all(Array.from({ length: 10 }, () => api.getJson("/x")));
});

test("advice from the server reaches the program, each text once", async () => {
  const warning = '299 - "batch/v1beta1 CronJob is deprecated", 299 - "say \\"hello\\""';
  server.handler = (_, response) => answer(response, 200, {}, { warning });
  const told: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (_: string, fields?: Readonly<Record<string, unknown>>) => told.push(fields?.["text"]),
  };
  const api = client({ log });
  await api.getJson("/x");
  await api.getJson("/x");
  expect(told).toEqual(["batch/v1beta1 CronJob is deprecated", 'say "hello"']);
});

test("a password is sent by basic authentication, and only over TLS", async () => {
  const credentials = { password: { user: "me", password: "pä:ss" } };
  const seen: unknown[] = [];
  server.handler = (request, response) => {
    seen.push(request.headers["authorization"]);
    answer(response, 200, {});
  };
  const secure = client({ connection: server.connection(credentials) });
  await secure.getJson("/x");
  (await secure.raw({ path: "/x" })).body.resume();
  const plain = createServer((request, response) => {
    seen.push(request.headers["authorization"]);
    response.end("{}");
  });
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  const { port } = plain.address() as AddressInfo;
  const open = client({ connection: { ...server.connection(credentials), server: `http://127.0.0.1:${port}` } });
  await open.getJson("/x");
  (await open.raw({ path: "/x" })).body.resume();
  plain.closeAllConnections();
  plain.close();
  const basic = `Basic ${Buffer.from("me:pä:ss").toString("base64")}`;
  expect(seen).toEqual([basic, basic, undefined, undefined]);
});

test("impersonation is sent in headers", async () => {
  let headers: Record<string, unknown> = {};
  server.handler = (request, response) => {
    headers = request.headers;
    answer(response, 200, {});
  };
  const impersonation = { user: "jane", groups: ["dev", "ops"], extra: { "example.com/Team": ["a"] } };
  await client({ connection: { ...server.connection(), impersonation } }).getJson("/x");
  expect(headers).toMatchObject({
    "impersonate-user": "jane",
    "impersonate-group": "dev, ops",
    "impersonate-extra-example.com%2fteam": "a",
  });
});

test.each([100, 103])("an answer that is announced by %d without end is none", async (code) => {
  server.handler = ({ stream }) => {
    const more = () => {
      for (let count = 0; count < 50 && !stream.destroyed; count += 1) stream.additionalHeaders({ ":status": code });
      if (!stream.destroyed) setImmediate(more);
    };
    stream.on("error", () => {});
    more();
  };
  const message = "the connection was lost: it announces an answer of unlimited length";
  await expect(client().getJson("/x", { timeoutMs: 5000 })).rejects.toMatchObject({ message });
});

test("a list whose pages repeat the continue token is an error", async () => {
  let requests = 0;
  server.handler = (_, response) => {
    requests += 1;
    answer(response, 200, { kind: "ConfigMapList", metadata: { continue: "again" }, items: [{}] });
  };
  const maps = client().resource({
    group: "",
    version: "v1",
    resource: "configmaps",
    kind: "ConfigMap",
    namespaced: true,
  });
  const read = async () => {
    for await (const _ of maps.all()) if (requests > 10) throw new Error("it goes on");
  };
  await expect(read()).rejects.toThrow("with the continue token of the request");
  expect(requests).toBe(2);
});
