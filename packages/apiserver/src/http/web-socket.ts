// A WebSocket as far as this server speaks it: it sends messages, and reads only for pings and for the end. Source: RFC 6455.
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { badRequest, StatusError } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { answered } from "./answer";
import { IncomingFrames } from "./web-socket-frames";

/** What both sides agree on before the first message. */
export interface Handshake {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly accept: string;
  /** "" where the client names none. */
  readonly protocol: string;
}

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/**
 * @param protocols that are spoken; "" for clients that name none
 * @returns undefined for a request that asks for no WebSocket
 * @throws StatusError BadRequest (400) for a handshake that cannot be completed, Forbidden (403) for a foreign page in a browser
 */
export function webSocketHandshake(
  request: ApiRequest,
  response: ApiResponse,
  protocols: readonly string[],
): Handshake | undefined {
  const { upgraded, headers } = request;
  if (upgraded === undefined || !/(^|,)\s*websocket\s*(,|$)/i.test(String(headers.upgrade))) return undefined;
  if (headers["sec-websocket-version"] !== "13") throw badRequest("Sec-WebSocket-Version: only 13 is spoken");
  const key = headers["sec-websocket-key"] ?? "";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) throw badRequest("Sec-WebSocket-Key: must be 16 bytes in base64");
  refuseForeignPage(request, response);
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  const protocol = offered.find((each) => protocols.includes(each));
  if (protocol === undefined)
    throw badRequest(`Sec-WebSocket-Protocol: none of ${JSON.stringify(protocols)} is offered`);
  const accept = createHash("sha1")
    .update(key + MAGIC)
    .digest("base64");
  return { ...upgraded, accept, protocol };
}

/** Browsers let any page open a WebSocket with the user's certificate; only the page's origin tells. */
function refuseForeignPage({ headers }: ApiRequest, response: ApiResponse): void {
  const { origin, host } = headers;
  if (origin === undefined || response.hasHeader("Access-Control-Allow-Origin")) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new StatusError("Forbidden", `pages of ${JSON.stringify(origin)} may not open a WebSocket here`);
  }
}

const CLOSE_BOUND_MS = 5_000;
const UNREAD_MAX_BYTES = 1024 * 1024;

export class WebSocket {
  private readonly frames: IncomingFrames;
  private closing = false;

  private constructor(readonly socket: Duplex) {
    this.frames = new IncomingFrames({
      ping: (payload) => this.pong(payload),
      close: () => this.close(),
    });
  }

  /** Answers the handshake; nothing may have been answered yet. */
  static open(response: ApiResponse, { socket, head, accept, protocol }: Handshake): WebSocket {
    const ws = new WebSocket(socket);
    if (answered(response)) return ws;
    const { context } = response.req;
    response.sendDate = false;
    const chosen = protocol === "" ? [] : ["Sec-WebSocket-Protocol", protocol];
    response.writeHead(101, [
      ...["Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Accept", accept, "Audit-Id", context.id],
      ...chosen,
    ]);
    response.flushHeaders();
    ws.frames.push(head);
    socket.on("data", (piece: Buffer) => ws.frames.push(piece));
    socket.on("end", () => socket.end());
    return ws;
  }

  /** Who pings and does not read gets no further answers. */
  private pong(payload: Buffer): void {
    if (this.socket.writableLength < UNREAD_MAX_BYTES) this.send(OPCODE.pong, payload);
  }

  private send(opcode: number, payload: Buffer): void {
    if (!this.closing && this.socket.writable) this.socket.write(messageFrame(opcode, payload));
  }

  /** Says that this side is done, and hangs up when the other has said so too, or has not in time. */
  close(): void {
    if (this.closing) return;
    this.send(OPCODE.close, NORMAL_CLOSURE);
    this.closing = true;
    this.socket.end();
    const bound = setTimeout(() => this.socket.destroy(), CLOSE_BOUND_MS).unref();
    this.socket.once("close", () => clearTimeout(bound));
  }
}

/** Of streams of bytes, logs and watches: as they are, or in base64. Source: facts, apiserver-hooks.md "Stream protocols". */
export const byteProtocols = ({ subprotocols }: Vocabulary): readonly string[] => [
  "",
  subprotocols.binary,
  subprotocols.base64Binary,
];

/** One message of such a stream. @param isText what is UTF-8 goes as text where no protocol was chosen */
export function byteMessage(protocol: string, bytes: Buffer, isText: boolean): Buffer {
  if (protocol.startsWith("base64.")) return messageFrame(OPCODE.text, Buffer.from(bytes.toString("base64"), "latin1"));
  return messageFrame(isText && protocol === "" ? OPCODE.text : OPCODE.binary, bytes);
}

export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const NORMAL_CLOSURE = Buffer.from([1000 >> 8, 1000 & 0xff]);
const FINAL = 0x80;

/** One whole message, unmasked as servers send them. */
export function messageFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = FINAL | opcode;
  if (length < 126) {
    head[1] = length;
  } else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}
