// A minimal WebSocket client that shows what the server sends.
import { request } from "node:https";
import type { Duplex } from "node:stream";
import type { RunningServer } from "../server/start-server";

export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const MASK = Buffer.from([1, 2, 3, 4]);

/** Returns a masked frame, as clients must send it. */
export function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, MASK, Buffer.from(payload.map((byte, at) => byte ^ (MASK[at % 4] as number)))]);
}

interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface SocketAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined when the server refused the upgrade. */
  readonly socket?: Duplex;
  /** Undefined at the end. */
  next(): Promise<Message | undefined>;
}

/** @param isAdmin uses the certificate of the user with all permissions, otherwise none */
export function openWebSocket(
  server: RunningServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  isAdmin = true,
): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const { certificate: cert, key } = server.admin;
    const sent = request(server.url + path, {
      ca: server.ca,
      ...(isAdmin && { cert, key }),
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
    sent.on("upgrade", (answer, socket, head) => {
      resolve({ code: answer.statusCode ?? 0, headers: answer.headers, socket, next: reader(socket, head) });
    });
    sent.on("response", (answer) => {
      answer.resume();
      resolve({ code: answer.statusCode ?? 0, headers: answer.headers, next: async () => undefined });
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A masked close frame with an all-zero mask and no status code. */
const CLOSE = Buffer.from([0x80 | OPCODE.close, 0x80, 0, 0, 0, 0]);

function reader(socket: Duplex, head: Buffer): () => Promise<Message | undefined> {
  let unread = head;
  let over = false;
  let more: (() => void) | undefined;
  socket.on("data", (piece: Buffer) => {
    unread = Buffer.concat([unread, piece]);
    more?.();
  });
  socket.on("close", () => {
    over = true;
    more?.();
  });
  return async () => {
    for (;;) {
      const message = firstMessage(unread);
      if (message !== undefined) {
        unread = unread.subarray(message.bytes);
        // The server waits for the close frame of the client.
        if (message.opcode === OPCODE.close && socket.writable) socket.write(CLOSE);
        return message;
      }
      if (over) return undefined;
      await new Promise<void>((resolve) => {
        more = resolve;
      });
    }
  };
}

function firstMessage(bytes: Buffer): (Message & { readonly bytes: number }) | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, code = 0] = bytes;
  const headBytes = code < 126 ? 2 : code === 126 ? 4 : 10;
  if (bytes.length < headBytes) return undefined;
  const length = code < 126 ? code : code === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < headBytes + length) return undefined;
  return { opcode: first & 0x0f, payload: bytes.subarray(headBytes, headBytes + length), bytes: headBytes + length };
}
