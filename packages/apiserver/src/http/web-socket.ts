// A WebSocket as far as this server speaks it: it sends messages, and does not look at those that come.
import type { Duplex } from "node:stream";
import { badRequest, StatusError } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { ClientGoneError } from "./request-body";
import type { UpgradedConnection } from "./upgrade-requests";

/** What both sides agree on before the first message. */
export interface Handshake {
  readonly connection: UpgradedConnection;
  /** "" where the client names none. */
  readonly protocol: string;
}

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
  const { upgraded: connection, headers } = request;
  if (connection === undefined || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  if (headers["sec-websocket-version"] !== "13") throw badRequest("Sec-WebSocket-Version: only 13 is spoken");
  const key = headers["sec-websocket-key"] ?? "";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) throw badRequest("Sec-WebSocket-Key: must be 16 bytes in base64");
  refuseForeignPage(request, response);
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  const protocol = offered.find((each) => protocols.includes(each));
  if (protocol === undefined)
    throw badRequest(`Sec-WebSocket-Protocol: none of ${JSON.stringify(protocols)} is offered`);
  return { connection, protocol };
}

/** Browsers let any page open a WebSocket with the user's certificate; only the page's origin tells. */
function refuseForeignPage({ headers, context }: ApiRequest, response: ApiResponse): void {
  const { origin } = headers;
  if (origin === undefined || response.hasHeader("Access-Control-Allow-Origin")) return;
  if (!URL.canParse(origin) || new URL(origin).host !== context.host) {
    throw new StatusError("Forbidden", `pages of ${JSON.stringify(origin)} may not open a WebSocket here`);
  }
}

const NORMAL_CLOSURE = 1000;
/** Nobody has anything to say to this server. */
const INCOMING_MAX_BYTES = 64 * 1024;
const UNREAD_MAX_BYTES = 1024 * 1024;

/** Of streams of bytes, logs and watches: as they are, or in base64. Source: facts, apiserver-hooks.md "Stream protocols". */
export const byteProtocols = ({ subprotocols }: Vocabulary): readonly string[] => [
  "",
  subprotocols.binary,
  subprotocols.base64Binary,
];

/** Sends pieces of bytes as messages. */
export class ByteSocket {
  private constructor(
    private readonly webSocket: WebSocket,
    /** Says by `drain` when more may be sent. */
    readonly socket: Duplex,
    private readonly protocol: string,
  ) {}

  /** Answers the handshake; nothing may have been answered yet. */
  static open(response: ApiResponse, { connection, protocol }: Handshake): ByteSocket {
    const { req } = response;
    const { socket, head } = connection;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      autoPong: false,
      maxPayload: INCOMING_MAX_BYTES,
      handleProtocols: () => protocol || false,
    });
    server.on("headers", (headers) => headers.push(`Audit-Id: ${req.context.id}`));
    connection.isTaken = true;
    response.statusCode = 101;
    let opened: ByteSocket | undefined;
    server.handleUpgrade(req, socket, head, (webSocket) => {
      // Whatever is wrong on the other side ends it, and the socket's end is heard of.
      webSocket.on("error", () => {});
      // Who pings and does not read gets no further answers.
      webSocket.on("ping", (payload) => {
        if (socket.writableLength < UNREAD_MAX_BYTES) webSocket.pong(payload);
      });
      opened = new ByteSocket(webSocket, socket, protocol);
    });
    if (opened === undefined) throw new ClientGoneError("the client left before the handshake was answered");
    return opened;
  }

  /** One message. @param isText what is UTF-8 goes as text where no protocol was chosen @returns false: wait for `drain` */
  send(bytes: Buffer, isText: boolean): boolean {
    if (this.webSocket.readyState === this.webSocket.OPEN) {
      if (this.protocol.startsWith("base64.")) this.webSocket.send(bytes.toString("base64"));
      else this.webSocket.send(bytes, { binary: !isText || this.protocol !== "" });
    }
    return !this.socket.writableNeedDrain;
  }

  /** Says that this side is done, and hangs up when the other has said so too, or has not in time. */
  close(): void {
    this.webSocket.close(NORMAL_CLOSURE);
  }

  /** In the middle. */
  breakOff(): void {
    this.webSocket.terminate();
  }
}
