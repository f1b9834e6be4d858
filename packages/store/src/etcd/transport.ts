// The interface between the driver and the gRPC transports: messages as bytes, one connection to one endpoint.
import type { EndSignal } from "@orch/platform";

/** The gRPC status codes that this package distinguishes. */
export const GRPC_STATUS = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  internal: 13,
  unavailable: 14,
  /** Used here for answers that cannot be decoded. */
  dataLoss: 15,
} as const;

export class GrpcError extends Error {
  override readonly name = "GrpcError";
  /** @param sent false only when the server has certainly not seen the request */
  constructor(
    readonly status: number,
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

export interface CallBounds {
  readonly timeoutMs: number;
  readonly signal?: EndSignal | undefined;
  /** Reject as soon as the endpoint is silent. For calls that may be repeated at another endpoint. */
  readonly repeatable: boolean;
  /** Metadata of the call: names in lower case, values in printable ASCII. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface StreamHandlers {
  message(bytes: Buffer): void;
  /** Called once, last, when the peer has ended the stream successfully. Absent: that is an error. */
  completed?(): void;
  /** Called once, last; not after `close`. */
  end(error: GrpcError): void;
}

export interface GrpcStream {
  /** @param message with its gRPC frame. @param isLast the request ends with it */
  send(message: Buffer, isLast?: boolean): void;
  /** Lets the peer of a paced stream send more: a received message of `bytes`, without its frame, has been processed. */
  processed(bytes: number): void;
  close(): void;
}

export interface StreamOptions {
  /** Whether the peer may send at most WINDOW_BYTES ahead of `processed`. Default: messages are processed at once. */
  readonly isPaced?: boolean;
}

export interface Connection {
  readonly endpoint: string;
  /** Whether new calls are possible. Never becomes true again. */
  readonly open: boolean;
  /** Whether calls wait and nothing has arrived for a while. Other connections are then preferred. */
  readonly silent: boolean;
  /**
   * @param message with its gRPC frame
   * @returns the answer without its frame
   * @throws GrpcError
   */
  call(method: string, message: Buffer, bounds: CallBounds): Promise<Buffer>;
  stream(method: string, handlers: StreamHandlers, options?: StreamOptions): GrpcStream;
  /** Checks at once, instead of at the next interval, whether the peer is alive. */
  probe(): void;
  /** Accepts no further calls, and closes the connection when the running ones have ended. */
  retire(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/** Connects to an endpoint. @throws Error when the connection is not established within `timeoutMs` */
export type Connect = (endpoint: Endpoint, timeoutMs: number) => Promise<Connection>;

export interface Endpoint {
  /** `http://host:port` or `https://host:port` */
  readonly url: string;
  readonly tls: boolean;
}

/**
 * Interval of pings on an idle or silent connection. etcd treats intervals below 5 s as an attack and closes the
 * connection.
 */
export const PING_INTERVAL_MS = 5200;
/** Minimum interval of early pings. etcd tolerates two between any two of its own answers. */
export const PROBE_INTERVAL_MS = 2000;
/** Time without an answer to a ping after which the peer counts as dead or frozen. */
export const PING_TIMEOUT_MS = 3000;
/** Time without any data, while calls wait, after which an endpoint counts as silent. */
export const SILENCE_MS = 1000;
/** Flow-control window: the number of bytes that the peer may send ahead. */
export const WINDOW_BYTES = 8 * 1024 * 1024;
