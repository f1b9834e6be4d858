// An HTTP/1.1 connection that has switched to another protocol, and the request for it.
import type { Duplex } from "node:stream";

export interface UpgradeRequest {
  /** Path with query, below the server's URL. */
  readonly path: string;
  readonly to: "websocket" | "SPDY/3.1";
  /** Subprotocols in order of preference. */
  readonly protocols: readonly string[];
  /** Ends the request, and closes the connection. */
  readonly signal?: AbortSignal;
  /** Timeout until the connection is open. Default: that of the client. */
  readonly timeoutMs?: number;
}

export interface UpgradedConnection {
  /** Open connection whose handshake is done. */
  readonly socket: Duplex;
  /** Bytes that arrived with the answer. They precede those of the socket. */
  readonly head: Buffer;
  /** The subprotocol that the server has chosen; "" when it names none. */
  readonly protocol: string;
}
