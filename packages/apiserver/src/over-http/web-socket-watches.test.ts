import { beforeAll, describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { type ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";
import { maskedFrame, OPCODE, openWebSocket } from "../testing/web-socket-client";

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running), { flags: { "cors-allowed-origins": ["^https://good\\."] } });

beforeAll(async () => {
  await admin.post(CONFIG_MAPS, configMap("first"));
});

const WATCH = `${CONFIG_MAPS}?watch=1`;
const PROTOBUF = { accept: "application/vnd.orch.protobuf" };

describe("a watch over a WebSocket", () => {
  test("sends each event as one text message", async () => {
    const { code, headers, socket, next } = await openWebSocket(server, WATCH);
    expect([code, headers["sec-websocket-accept"]]).toEqual([101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]);
    expect(headers["sec-websocket-protocol"]).toBeUndefined();
    await admin.post(CONFIG_MAPS, configMap("second", { filler: "é".repeat(40_000) }));
    for (const name of ["first", "second"]) {
      const message = await next();
      expect(message?.opcode).toBe(OPCODE.text);
      expect(JSON.parse(String(message?.payload))).toMatchObject({ type: "ADDED", object: { metadata: { name } } });
    }
    socket?.destroy();
    await admin.delete(`${CONFIG_MAPS}/second`);
  });

  test.each<[string, Record<string, string>, number, (payload: Buffer) => void]>([
    [
      "binary.orch.io",
      {},
      OPCODE.binary,
      (payload) => expect(JSON.parse(payload.toString())).toMatchObject({ type: "ADDED" }),
    ],
    [
      "base64.binary.orch.io",
      {},
      OPCODE.text,
      (payload) => expect(JSON.parse(atob(payload.toString()))).toMatchObject({ type: "ADDED" }),
    ],
    // Field 1 of the event is its type; the frame has no length prefix.
    [
      "binary.orch.io",
      PROTOBUF,
      OPCODE.binary,
      (payload) => expect(payload.toString("latin1", 0, 7)).toBe("\n\x05ADDED"),
    ],
  ])("speaks %s with %j", async (protocol, headers, opcode, look) => {
    const offered = { "sec-websocket-protocol": `unheard.of, ${protocol}`, ...headers };
    const answer = await openWebSocket(server, WATCH, offered);
    expect(answer.headers["sec-websocket-protocol"]).toBe(protocol);
    const message = await answer.next();
    expect(message?.opcode).toBe(opcode);
    look(message?.payload ?? Buffer.alloc(0));
    answer.socket?.destroy();
  });

  test("answers a ping, and ends when the client says so", async () => {
    const { socket, next } = await openWebSocket(server, `${WATCH}&labelSelector=none`);
    socket?.write(maskedFrame(OPCODE.ping, Buffer.from("there?")));
    expect(await next()).toMatchObject({ opcode: OPCODE.pong, payload: Buffer.from("there?") });
    socket?.write(maskedFrame(OPCODE.close, Buffer.from([3, 232])));
    expect(await next()).toMatchObject({ opcode: OPCODE.close, payload: Buffer.from([3, 232]) });
    expect(await next()).toBeUndefined();
  });

  test.each<[string, Buffer]>([
    ["an unmasked frame", Buffer.from([0x81, 2, 0x68, 0x69])],
    ["a control frame that is too long", maskedFrame(OPCODE.ping, Buffer.alloc(126))],
    ["what is no frame at all", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ])("is over after %s", async (_what, bytes) => {
    const { socket, next } = await openWebSocket(server, `${WATCH}&labelSelector=none`);
    socket?.write(bytes);
    expect(await next()).toMatchObject({ opcode: OPCODE.close, payload: Buffer.from([3, 234]) });
    expect(await next()).toBeUndefined();
  });

  test("says that it is over when its time is", async () => {
    const { next } = await openWebSocket(server, `${WATCH}&timeoutSeconds=1&labelSelector=none`);
    expect((await next())?.opcode).toBe(OPCODE.close);
    expect(await next()).toBeUndefined();
  });

  test.each<[string, Record<string, string>, number]>([
    ["an old version", { "sec-websocket-version": "8" }, 400],
    ["a key that is none", { "sec-websocket-key": "short" }, 400],
    ["protocols that are not spoken", { "sec-websocket-protocol": "chat" }, 400],
    ["a page of elsewhere", { origin: "https://evil.example" }, 403],
    ["a page of an allowed origin", { origin: "https://good.example" }, 101],
  ])("a watch with %s is handled accordingly", async (_what, headers, code) => {
    const answer = await openWebSocket(server, WATCH, headers);
    expect(answer.code).toBe(code);
    answer.socket?.destroy();
  });

  test("a watch from the server's own page is allowed", async () => {
    const answer = await openWebSocket(server, WATCH, { origin: server.url });
    expect(answer.code).toBe(101);
    answer.socket?.destroy();
  });
});
