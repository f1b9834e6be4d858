import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { systemClock } from "@orch/platform";
import { type WebSocket, WebSocketServer } from "ws";
import { Client } from "../requests/client";
import type { RemoteProcess } from "./remote-process";
import { tunneled } from "./spdy-tunnel";

const pod = { namespace: "default", name: "web" };
let server: Server;
let client: Client;
/** Path, user agent and subprotocol of each handshake. */
let handshakes: (readonly [string, string])[];
let talk: (socket: WebSocket, url: URL) => void;

beforeAll(async () => {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((each) => /^v5|echo/.test(each)) ?? false,
  });
  server = createServer((request, response) => {
    response.writeHead(403, { "content-type": "application/json" });
    const message = `${request.method} is refused`;
    response.end(JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message }));
  });
  server.on("upgrade", (request, socket, head) => {
    const url = new URL(request.url ?? "", "http://server");
    if (request.headers.upgrade !== "websocket" || url.pathname.includes("/spdy/")) {
      socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnone");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      handshakes.push([url.pathname, opened.protocol]);
      talk(opened, url);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connection = { server: `http://127.0.0.1:${port}`, tls: {}, credentials: {}, namespace: "default" };
  client = new Client({ connection, program: "test" });
});
afterAll(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  handshakes = [];
  talk = runCommands;
});

/** Runs the command of the query as the API server does. Source: KEP-4006. */
function runCommands(socket: WebSocket, { searchParams }: URL): void {
  const [program = "", ...args] = searchParams.getAll("command");
  const child = spawn(program, args);
  const say = (channel: number, data: Buffer) => socket.send(Buffer.concat([Buffer.from([channel]), data]));
  child.stdout.on("data", (data: Buffer) => say(1, data));
  child.stderr.on("data", (data: Buffer) => say(2, data));
  socket.on("message", (message: Buffer) => {
    const [channel, content] = [message[0], message.subarray(1)];
    if (channel === 0) child.stdin.write(content);
    if (channel === 4) say(1, content);
    if (channel === 255 && content[0] === 0) child.stdin.end();
  });
  child.on("close", (code) => {
    const causes = [{ reason: "ExitCode", message: String(code) }];
    const failure = { status: "Failure", reason: "NonZeroExitCode", details: { causes } };
    say(3, Buffer.from(JSON.stringify(code === 0 ? { status: "Success" } : failure)));
    socket.close(1000);
  });
}

async function ended(process: RemoteProcess) {
  const outputs = [process.stdout, process.stderr].map((stream) => text(stream));
  return [...(await Promise.all(outputs)), await process.exitCode];
}

describe("a command over WebSocket", () => {
  test("gives its output and its exit code", async () => {
    const command = ["sh", "-c", "echo out; echo err >&2; exit 3"];
    const process = await client.exec({ ...pod, container: "main", command });
    expect(process.protocol).toBe("v5.channel.orch.io");
    expect(await ended(process)).toEqual(["out\n", "err\n", 3]);
    expect(handshakes).toEqual([["/api/v1/namespaces/default/pods/web/exec", "v5.channel.orch.io"]]);
  });

  test("reads its input to the end, in messages of any size", async () => {
    const process = await client.exec({ ...pod, stdin: true, command: ["sh", "-c", "cat; exit 0"] });
    const input = Buffer.from(Array.from({ length: 300_000 }, (_, at) => 97 + (at % 26)));
    process.stdin.write("");
    process.stdin.write(input.subarray(0, 200));
    process.stdin.end(input.subarray(200));
    const [output, , code] = await ended(process);
    expect([output === input.toString(), code]).toEqual([true, 0]);
  });

  test("learns the size of the terminal", async () => {
    const process = await client.exec({ ...pod, stdin: true, tty: true, command: ["cat"] });
    process.resize({ columns: 80, rows: 24 });
    process.stdin.end();
    expect(await ended(process)).toEqual(['{"Width":80,"Height":24}\n', "", 0]);
  });

  test("does not fill the memory when its output is not read", async () => {
    let sent = 0;
    talk = (socket) => {
      const more = (): void => {
        sent += 1;
        socket.send(Buffer.alloc(64 * 1024, 1), (error) => {
          if (error === undefined || error === null) setImmediate(more);
        });
      };
      more();
    };
    const process = await client.exec({ ...pod, command: ["yes"] });
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(process.stdout.readableLength).toBeLessThan(1024 * 1024);
    process.close();
  });

  test.each([
    ["closes with an error", (socket: WebSocket) => socket.close(1011, "broken"), "with code 1011: broken"],
    ["hangs up", (socket: WebSocket) => socket.terminate(), "the connection was lost"],
  ])("fails when the server %s", async (_how, end, message) => {
    talk = (socket) => {
      socket.send(Buffer.from("\u0001start"));
      socket.on("message", () => end(socket));
    };
    const process = await client.exec({ ...pod, stdin: true, command: ["any"] });
    process.stderr.resume();
    await new Promise((resolve) => process.stdout.once("data", resolve));
    process.stdin.write("x");
    await expect(process.exitCode).rejects.toThrow(message);
  });

  test("reports the status of a command that could not be run", async () => {
    talk = (socket) => {
      const status = { status: "Failure", reason: "InternalError", code: 500, message: "no such file" };
      socket.send(Buffer.from(`\u0003${JSON.stringify(status)}`));
      socket.close(1000);
    };
    const process = await client.exec({ ...pod, command: ["any"] });
    await expect(process.exitCode).rejects.toMatchObject({ name: "StatusError", message: "no such file", code: 500 });
  });
});

test("a tunnel carries bytes both ways until one side ends", async () => {
  talk = (socket) => socket.on("message", (message: Buffer) => socket.send(message));
  const { socket, head, protocol } = await client.upgrade({ path: "/any", to: "websocket", protocols: ["echo"] });
  const stream = tunneled(socket, head, systemClock);
  expect(protocol).toBe("echo");
  const sent = "piece ".repeat(50_000);
  stream.write(sent);
  let heard = "";
  for await (const piece of stream) {
    heard += String(piece);
    if (heard.length === sent.length) break;
  }
  expect(heard === sent).toBe(true);
});

test("a refused upgrade reports the status of the last attempt", async () => {
  const request = { path: "/spdy/x", protocols: ["echo"] } as const;
  await expect(client.upgrade({ ...request, to: "websocket" })).rejects.toThrow("the server answered 400: none");
  await expect(client.exec({ namespace: "spdy", name: "spdy", command: ["ls"] })).rejects.toThrow("answered 400");
});

describe("a raw request", () => {
  test("returns responses of any status", async () => {
    const { status, headers, body } = await client.raw({ method: "DELETE", path: "/any", headers: { "x-own": "1" } });
    expect([status, headers["content-type"]]).toEqual([403, "application/json"]);
    expect(JSON.parse(await text(body))).toMatchObject({ message: "DELETE is refused" });
  });

  test("ends with its signal", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(client.raw({ path: "/any", signal: stop.signal })).rejects.toThrow("enough");
  });
});
