import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ConnectProxy } from "@orch/testing";
import type { ConnectionSettings } from "../connection/connection-settings";
import { Client } from "../requests/client";
import { answer, LocalServer, TestAuthority } from "../testing/local-server";

let authority: TestAuthority;
let server: LocalServer;
let port: number;
const opened: { close(): void }[] = [];

beforeAll(async () => {
  authority = new TestAuthority();
  server = await new LocalServer(authority).listen();
  server.handler = (request, response) => answer(response, 200, { path: request.url });
  port = Number(new URL(server.connection().server).port);
});
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});
afterAll(() => {
  server.stop();
  authority.remove();
});

function clientOf(more: Partial<ConnectionSettings>, environment: Readonly<Record<string, string>> = {}): Client {
  const client = new Client({ connection: { ...server.connection(), ...more }, program: "test", environment });
  opened.push(client);
  return client;
}

async function proxyWith(options: Parameters<typeof ConnectProxy.listen>[0]): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.listen(options);
  opened.push(proxy);
  return proxy;
}

describe.each([
  ["http", (): { readonly cert: string; readonly key: string } | undefined => undefined],
  [
    "https",
    (): { readonly cert: string; readonly key: string } => {
      const { certificate, key } = authority.issue("server");
      return { cert: certificate, key };
    },
  ],
] as const)("an %s proxy", (scheme, tls) => {
  test("carries requests, raw requests and both versions of HTTP", async () => {
    const secure = tls();
    const proxy = await proxyWith(secure === undefined ? {} : { tls: secure });
    const client = clientOf({ proxy: { kind: "url", url: `${scheme}://127.0.0.1:${proxy.port}` } });
    expect(await client.getJson("/a")).toEqual({ path: "/a" });
    const { body } = await client.raw({ path: "/b" });
    expect(JSON.parse(await text(body))).toEqual({ path: "/b" });
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
    expect(server.sessions.size).toBe(1);
  });

  test("gets the user name and the password of its URL", async () => {
    const secure = tls();
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    const proxy = await proxyWith({ authorization, ...(secure === undefined ? {} : { tls: secure }) });
    const url = (login: string) => `${scheme}://${login}127.0.0.1:${proxy.port}`;
    const client = clientOf({ proxy: { kind: "url", url: url("me:p%40ss@") } });
    expect(await client.getJson("/a")).toEqual({ path: "/a" });
    const other = clientOf({ proxy: { kind: "url", url: url("me:secret@") } });
    const failed = await other.raw({ path: "/a" }).catch((error: Error) => error);
    expect(failed).toMatchObject({
      name: "ConnectionError",
      message: expect.stringMatching(/through the proxy https?:\/\/127\.0\.0\.1:\d+: it answered with HTTP status 407/),
    });
    expect((failed as Error).message).not.toContain("secret");
    // The proxy would refuse another try as well.
    const before = proxy.refused;
    await expect(other.getJson("/a")).rejects.toThrow("HTTP status 407");
    expect(proxy.refused).toBe(before + 1);
  });
});

test("the environment names the proxy of a server that NO_PROXY does not except", async () => {
  const proxy = await proxyWith({ portOf: () => port });
  const { tls } = server.connection();
  const more = {
    server: "https://api.example.com",
    tls: { ...tls, serverName: "localhost" },
    proxy: { kind: "environment" },
  } as const;
  const HTTPS_PROXY = `127.0.0.1:${proxy.port}`;
  expect(await clientOf(more, { HTTPS_PROXY }).getJson("/a")).toEqual({ path: "/a" });
  expect(proxy.targets).toEqual(["api.example.com:443"]);
  const local = { ...server.connection(), proxy: { kind: "environment" } } as const;
  expect(await clientOf(local, { HTTPS_PROXY }).getJson("/a")).toEqual({ path: "/a" });
  expect(proxy.targets).toHaveLength(1);
});

describe("a SOCKS 5 proxy", () => {
  /** Accepts a user name and a password when `login` is set. */
  async function socks(login?: string): Promise<{ readonly port: number; readonly targets: string[] }> {
    const targets: string[] = [];
    const sockets = new Set<Socket>();
    const listening: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      serve(socket, login, targets).catch(() => socket.destroy());
    });
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    opened.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        listening.close();
      },
    });
    return { port: (listening.address() as { port: number }).port, targets };
  }

  async function serve(socket: Socket, login: string | undefined, targets: string[]): Promise<void> {
    const next = async (length: number): Promise<Buffer> => {
      for (;;) {
        const bytes = socket.read(length) as Buffer | null;
        if (bytes !== null) return bytes;
        await new Promise((resolve) => socket.once("readable", resolve));
      }
    };
    const counted = async () => (await next((await next(1))[0] as number)).toString();
    await next(1);
    const methods = await next((await next(1))[0] as number);
    const method = login === undefined ? 0 : 2;
    socket.write(Buffer.from([5, methods.includes(method) ? method : 255]));
    if (!methods.includes(method)) return;
    if (login !== undefined) {
      await next(1);
      const given = `${await counted()}:${await counted()}`;
      socket.write(Buffer.from([1, given === login ? 0 : 1]));
      if (given !== login) return;
    }
    const [, , , type] = await next(4);
    const host = type === 3 ? await counted() : [...(await next(type === 1 ? 4 : 16))].join(".");
    const at = (await next(2)).readUInt16BE();
    targets.push(`${host}:${at}`);
    if (at !== port && at !== 443) {
      socket.write(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    const backend = connect(port, "127.0.0.1");
    backend.on("error", () => socket.destroy());
    socket.write(Buffer.from([5, 0, 0, 3, 4, ...Buffer.from("here"), 0, 80]));
    socket.pipe(backend).pipe(socket);
  }

  test("carries requests to addresses, and to names that it resolves", async () => {
    const proxy = await socks();
    const url = `socks5://127.0.0.1:${proxy.port}`;
    expect(await clientOf({ proxy: { kind: "url", url } }).getJson("/a")).toEqual({ path: "/a" });
    const tls = { ...server.connection().tls, serverName: "localhost" };
    const named = clientOf({ proxy: { kind: "url", url }, server: "https://api.invalid", tls });
    expect(await named.getJson("/b")).toEqual({ path: "/b" });
    const six = clientOf({ proxy: { kind: "url", url }, server: "https://[fd00:0:1::a]", tls });
    expect(await six.getJson("/c")).toEqual({ path: "/c" });
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`, "api.invalid:443", "253.0.0.0.0.1.0.0.0.0.0.0.0.0.0.10:443"]);
  });

  test.each([
    ["me:right@", undefined],
    ["me:wrong@", "it rejects the user name or the password"],
    ["", "it requires other credentials"],
  ])("with a password gets that of %j", async (login, message) => {
    const proxy = await socks("me:right");
    const client = clientOf({ proxy: { kind: "url", url: `socks5://${login}127.0.0.1:${proxy.port}` } });
    if (message === undefined) expect(await client.getJson("/a")).toEqual({ path: "/a" });
    else await expect(client.raw({ path: "/a" })).rejects.toThrow(message);
  });

  test("that cannot connect is named, with its reason", async () => {
    const proxy = await socks();
    const more = {
      server: "https://127.0.0.1:1",
      proxy: { kind: "url", url: `socks5://127.0.0.1:${proxy.port}` },
    } as const;
    await expect(clientOf(more).raw({ path: "/a" })).rejects.toThrow(
      `cannot connect to 127.0.0.1:1 through the proxy socks5://127.0.0.1:${proxy.port}: the connection was refused`,
    );
  });
});
