// The server side of a WebSocket: sends messages and ignores received ones.

import type { Duplex } from "node:stream";
import { badRequest, StatusError } from "@orch/machinery";
import { ClientGoneError } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { type WebSocket, WebSocketServer } from "ws";
import type { HttpRequest, HttpResponse, UpgradedConnection } from "./exchange";

/** Result of the negotiation. */
export interface Handshake {
  readonly connection: UpgradedConnection;
  /** "" when the client names none. */
  readonly protocol: string;
}

/**
 * @param protocols supported subprotocols; "" for clients that name none
 * @returns undefined for a request that is no WebSocket handshake
 * @throws StatusError BadRequest (400) for an invalid handshake, Forbidden (403) for a browser page of another origin
 */
export function webSocketHandshake(
  request: HttpRequest,
  response: HttpResponse,
  protocols: readonly string[],
): Handshake | undefined {
  const { upgraded: connection, headers } = request;
  if (connection === undefined || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  if (headers["sec-websocket-version"] !== "13") throw badRequest("Sec-WebSocket-Version: must be 13");
  const key = headers["sec-websocket-key"] ?? "";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) throw badRequest("Sec-WebSocket-Key: must be 16 bytes in base64");
  refuseForeignPage(request, response);
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  const protocol = offered.find((each) => protocols.includes(each));
  if (protocol === undefined) throw badRequest(`Sec-WebSocket-Protocol: must be one of ${JSON.stringify(protocols)}`);
  return { connection, protocol };
}

/** Browsers let any page open a WebSocket with the user's certificate; only the Origin header identifies the page. */
function refuseForeignPage({ headers, context }: HttpRequest, response: HttpResponse): void {
  const { origin } = headers;
  if (origin === undefined || response.hasHeader("Access-Control-Allow-Origin")) return;
  if (!URL.canParse(origin) || new URL(origin).host !== context.host) {
    throw new StatusError(
      "Forbidden",
      `the origin ${JSON.stringify(origin)} is not allowed to open a WebSocket; see --cors-allowed-origins`,
    );
  }
}

const NORMAL_CLOSURE = 1000;
/** Limits of received messages, which are ignored. */
const INCOMING_MAX_BYTES = 64 * 1024;
const UNREAD_MAX_BYTES = 1024 * 1024;

/**
 * Subprotocols of byte streams, logs and watches: binary, or base64. Source:
 * staging/src/k8s.io/apiserver/pkg/util/wsstream/stream.go.
 */
export const byteProtocols = ({ subprotocols }: Vocabulary): readonly string[] => [
  "",
  subprotocols.binary,
  subprotocols.base64Binary,
];

/** Sends pieces of bytes as messages. */
export class ByteSocket {
  private constructor(
    private readonly webSocket: WebSocket,
    /** Emits `drain` when more may be sent. */
    readonly socket: Duplex,
    private readonly protocol: string,
  ) {}

  /** Answers the handshake; nothing may have been answered before. */
  static open(response: HttpResponse, { connection, protocol }: Handshake): ByteSocket {
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
      // An error of the client closes the WebSocket, and the end of the socket is handled.
      webSocket.on("error", () => {});
      // Pings are not answered while the client does not read.
      webSocket.on("ping", (payload) => {
        if (socket.writableLength < UNREAD_MAX_BYTES) webSocket.pong(payload);
      });
      opened = new ByteSocket(webSocket, socket, protocol);
    });
    if (opened === undefined) throw new ClientGoneError("the client disconnected before the handshake was answered");
    return opened;
  }

  /**
   * Sends one message.
   * @param isText whether the bytes are UTF-8, sent as text when no subprotocol was chosen
   * @returns false: wait for `drain`
   */
  send(bytes: Buffer, isText: boolean): boolean {
    if (this.webSocket.readyState === this.webSocket.OPEN) {
      if (this.protocol.startsWith("base64.")) this.webSocket.send(bytes.toString("base64"));
      else this.webSocket.send(bytes, { binary: !isText || this.protocol !== "" });
    }
    return !this.socket.writableNeedDrain;
  }

  /** Starts the closing handshake, and closes the connection after it or after a timeout. */
  close(): void {
    this.webSocket.close(NORMAL_CLOSURE);
  }

  /** Breaks off the connection. */
  breakOff(): void {
    this.webSocket.terminate();
  }
}
