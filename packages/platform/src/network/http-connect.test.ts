// Connections through a real proxy over TCP and over a socket, and through servers that violate the protocol.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { ConnectProxy } from "@orch/testing";
import { ConnectDialer, type ConnectProxy as ProxySettings } from "./http-connect";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(act: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    closing.push(() => socket.destroy());
    socket.on("error", () => {});
    act(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as { port: number }).port;
}

const echo = () => listening((socket) => socket.pipe(socket));

function dialerOf(at: ProxySettings["at"], timeoutMs = 30_000) {
  const seen: string[] = [];
  const dialer = new ConnectDialer(
    { name: "http://proxy.example", at, timeoutMs },
    {
      started: () => seen.push("started"),
      failed: (stage) => seen.push(`failed ${stage}`),
      connected: () => seen.push("connected"),
    },
  );
  return { dialer, seen };
}

async function echoed(socket: Socket): Promise<string> {
  closing.push(() => socket.destroy());
  socket.write("hello");
  return new Promise((resolve) => socket.once("data", (data: Buffer) => resolve(data.toString())));
}

test.each(["TCP", "UDS"])("a connection over %s passes through the proxy", async (transport) => {
  const folder = mkdtempSync(join(tmpdir(), "egress-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "proxy.sock");
  const proxy = await ConnectProxy.listen(transport === "UDS" ? { path } : {});
  closing.push(() => proxy.close());
  const { dialer, seen } = dialerOf(transport === "UDS" ? { path } : { host: "127.0.0.1", port: proxy.port });
  const port = await echo();
  expect(await echoed(await dialer.dial({ host: "127.0.0.1", port }))).toBe("hello");
  expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
  expect(seen).toEqual(["started", "connected"]);
});

test("bytes of the target that arrive with the answer are kept", async () => {
  const port = await listening((socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\nfirst")));
  const socket = await dialerOf({ host: "127.0.0.1", port }).dialer.dial({ host: "target", port: 1 });
  closing.push(() => socket.destroy());
  expect(await new Promise((resolve) => socket.once("data", (data: Buffer) => resolve(data.toString())))).toBe("first");
});

test("an answer that arrives byte by byte is read, and an IPv6 target has brackets", async () => {
  let asked = "";
  const port = await listening((socket) =>
    socket.once("data", async (data: Buffer) => {
      asked = data.toString();
      socket.setNoDelay(true);
      for (const byte of "HTTP/1.1 200 OK\r\nVia: test\r\n\r\n") {
        socket.write(byte);
        await new Promise(setImmediate);
      }
    }),
  );
  closing.push(() => socket.destroy());
  const socket = await dialerOf({ host: "127.0.0.1", port }).dialer.dial({ host: "fd00::1", port: 443 });
  expect(asked).toBe("CONNECT [fd00::1]:443 HTTP/1.1\r\nHost: [fd00::1]:443\r\n\r\n");
});

const flood = (socket: Socket): void => {
  const line = Buffer.from(`X-Padding: ${"x".repeat(1000)}\r\n`);
  const send = () => {
    if (socket.destroyed) return;
    if (socket.write(line)) setImmediate(send);
    else socket.once("drain", send);
  };
  socket.write("HTTP/1.1 200 OK\r\n");
  send();
};

test.each<[string, (socket: Socket) => void, string, "connect" | "proxy"]>([
  ["a head without end", flood, "the head of its answer has more than 16384 bytes", "proxy"],
  [
    "407",
    (socket) => socket.write("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
    "it answered with HTTP status 407 Proxy Authentication Required",
    "proxy",
  ],
  [
    "a reason of control characters",
    (socket) => socket.write("HTTP/1.1 500 \u0007\u001b[31m\r\n\r\n"),
    "it answered with HTTP status 500 ??[31m",
    "proxy",
  ],
  ["another protocol", (socket) => socket.write("SSH-2.0\r\n\r\n"), "its answer is not an answer of HTTP/1.1", "proxy"],
  ["a closed connection", (socket) => socket.end("HTTP/1.1 200"), "the proxy closed the connection", "proxy"],
])("%s of the proxy is an error that names the proxy and the target", async (_, answer, why, stage) => {
  const port = await listening((socket) => socket.once("data", () => answer(socket)));
  const { dialer, seen } = dialerOf({ host: "127.0.0.1", port });
  await expect(dialer.dial({ host: "pod.example", port: 443 })).rejects.toMatchObject({
    code: why.includes(" 407 ") ? "EPROXYREFUSED" : "EEGRESS",
    message: `cannot connect to pod.example:443 through the proxy http://proxy.example: ${why}`,
  });
  expect(seen).toEqual(["started", `failed ${stage}`]);
});

test("a proxy that does not answer is an error after the timeout", async () => {
  const port = await listening(() => {});
  const { dialer, seen } = dialerOf({ host: "127.0.0.1", port }, 20);
  await expect(dialer.dial({ host: "a", port: 1 })).rejects.toThrow("no answer within 20 ms");
  expect(seen[0]).toBe("started");
});

test("a proxy that is not there is an error of the stage connect", async () => {
  const { dialer, seen } = dialerOf({ path: join(tmpdir(), "egress-no-such.sock") });
  await expect(dialer.dial({ host: "a", port: 1 })).rejects.toThrow("ENOENT");
  expect(seen).toEqual(["started", "failed connect"]);
});
