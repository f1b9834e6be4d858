// Tests requests to a faulty server, played by a plain socket.
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { ANNOUNCEMENTS_MAX, observeResponse, type ResponseOutcome } from "./response-outcome";

const UPGRADE = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello";
const OK = "HTTP/1.1 200 OK\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

let server: Server;
let behaves: (socket: Socket) => void;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => behaves(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => {
  server.close();
});

interface Heard {
  readonly outcomes: readonly string[];
  readonly upgraded: Duplex | undefined;
}

/** Sends a request, and returns all outcomes until the connection is closed by either side. */
function ask(of: { readonly method?: string; readonly mayUpgrade?: boolean } = {}): Promise<Heard> {
  const outcomes: string[] = [];
  const { method = "GET", mayUpgrade = false } = of;
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: "127.0.0.1", port, method, agent: false });
  return new Promise((resolve) => {
    const outcome: ResponseOutcome = {
      answered: (answer) => {
        outcomes.push(`answered ${answer.statusCode}`);
        answer.on("error", () => outcomes.push("broke off")).resume();
      },
      failed: ({ message }) => outcomes.push(message),
    };
    const upgraded = (_answer: unknown, socket: Duplex, head: Buffer) => {
      outcomes.push(`upgraded ${head}`);
      resolve({ outcomes, upgraded: socket });
    };
    observeResponse(sent, mayUpgrade ? { ...outcome, upgraded } : outcome);
    sent.on("close", () => setImmediate(() => resolve({ outcomes, upgraded: undefined })));
    sent.end();
  });
}

const endlessly = (text: string) => (socket: Socket) => {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once("drain", more);
  };
  more();
};

const UNASKED = "it answered with an unrequested upgrade";
const ENDLESS = "it announces an answer of unlimited length";

test.each<[string, (socket: Socket) => void, readonly string[]]>([
  ["agrees to an upgrade", (socket) => socket.write(UPGRADE), [UNASKED]],
  ["agrees to an upgrade and closes", (socket) => socket.end(UPGRADE), [UNASKED]],
  ["sends hints without end", endlessly(HINTS.repeat(500)), [ENDLESS]],
  ["says without end that it reads on", endlessly(CONTINUE.repeat(500)), [ENDLESS]],
  ["closes", (socket) => socket.end(), ["socket hang up"]],
  ["breaks off its head", (socket) => socket.end(`${OK}Content-`), ["socket hang up"]],
  [
    "answers nothing but its head",
    (socket) => socket.end(`${OK}Content-Length: 4\r\n\r\n`),
    ["answered 200", "broke off"],
  ],
  ["answers", (socket) => socket.end(`${OK}Content-Length: 4\r\n\r\nbody`), ["answered 200"]],
  [
    "answers after all that it may announce",
    (socket) => socket.end(`${HINTS.repeat(ANNOUNCEMENTS_MAX)}${OK}Content-Length: 0\r\n\r\n`),
    ["answered 200"],
  ],
])("a request whose other side %s comes to one end, and leaves no connection", async (_what, does, outcomes) => {
  behaves = does;
  expect((await ask()).outcomes).toEqual(outcomes);
  const [socket] = sockets;
  if (socket?.closed === false) await once(socket, "close");
});

test("an unrequested tunnel is an error", async () => {
  behaves = (socket) => socket.write(`${OK}\r\n`);
  expect((await ask({ method: "CONNECT" })).outcomes).toEqual(["the connection was closed before the answer"]);
});

test("an upgrade that was asked for is had, with what came behind it", async () => {
  behaves = (socket) => socket.write(UPGRADE);
  const { outcomes, upgraded } = await ask({ mayUpgrade: true });
  expect(outcomes).toEqual(["upgraded hello"]);
  upgraded?.destroy();
});
