// The seam between the driver and whatever carries gRPC: bytes in, bytes out, one connection to one endpoint.
import type { EndSignal } from "@orch/platform";

/** gRPC's codes, those that are told apart here. */
export const GRPC_STATUS = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  internal: 13,
  unavailable: 14,
  /** Here: what the server sent cannot be read. */
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
  /** Reject as soon as the endpoint falls silent: for calls that may be made again elsewhere. */
  readonly repeatable: boolean;
}

export interface StreamHandlers {
  message(bytes: Buffer): void;
  /** Once, last; not after `close`. */
  end(error: GrpcError): void;
}

export interface GrpcStream {
  /** @param message with its frame */
  send(message: Buffer): void;
  close(): void;
}

export interface Connection {
  readonly endpoint: string;
  /** Set when it has room for calls. Once false, false for ever. */
  readonly open: boolean;
  /** Calls wait, and nothing has come for a while: others are to be preferred. */
  readonly silent: boolean;
  /**
   * @param message with its frame
   * @returns the answer without its frame
   * @throws GrpcError
   */
  call(method: string, message: Buffer, bounds: CallBounds): Promise<Buffer>;
  stream(method: string, handlers: StreamHandlers): GrpcStream;
  /** Finds out now, not at the next interval, whether the peer is alive. */
  probe(): void;
  /** Takes no more calls and ends when the running ones have. */
  retire(): void;
  /** Ends at once. */
  destroy(): void;
}

/** @throws Error when the endpoint does not greet back within `timeoutMs` */
export type Connect = (endpoint: Endpoint, timeoutMs: number) => Promise<Connection>;

export interface Endpoint {
  /** `http://host:port` or `https://host:port` */
  readonly url: string;
  readonly tls: boolean;
}

/** Ping an idle or silent connection this often. etcd takes pings less than 5 s apart as an attack and hangs up. */
export const PING_INTERVAL_MS = 5200;
/** Nor at once after another ping when somebody asks. etcd forgives two early ones between any two of its own answers. */
export const PROBE_INTERVAL_MS = 2000;
/** A ping without an answer for this long means a dead or frozen peer. */
export const PING_TIMEOUT_MS = 3000;
/** Calls wait and nothing has come for this long: the endpoint is silent. */
export const SILENCE_MS = 1000;
/** Flow-control window: so much may be under way before the peer waits for us. */
export const WINDOW_BYTES = 8 * 1024 * 1024;
