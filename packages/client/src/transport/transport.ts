// Transport of requests and responses, independent of the protocol.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { StopSignal } from "@orch/platform";

export interface TransportRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** The response is a watch and lasts for long. */
  readonly isWatch?: boolean;
  /** Ends the request, and the response's body while it is being read. */
  readonly signal: StopSignal;
}

/** Headers of a response that are used. */
export type AnswerHeaders = Readonly<Pick<IncomingHttpHeaders, "location" | "retry-after" | "warning">>;

export interface TransportResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
}

/** Body of a response, to be read in one of two ways. */
export interface AnswerBody {
  /**
   * Reads the whole body.
   * @throws ConnectionError when it was cut off, or exceeds `maxBytes`: the rest is then not read
   */
  bytes(maxBytes?: number): Promise<Buffer>;
  /** Returns the body as a stream, which must be read to its end or destroyed. */
  stream(): Readable;
}

export interface Transport {
  /** Sends a request. @throws ConnectionError without a response; the signal's reason when aborted */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections. */
  close(): void;
}

/** A network address. */
export interface NetworkAddress {
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** No response arrived, or only a part of it. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The server has certainly not processed the request: it may be sent again, whatever it was. */
  readonly notProcessed: boolean;
  /** The request was sent on a reused connection, which the server may have closed without reading it. */
  readonly onKeptConnection: boolean;
  /** Error code of the operating system or of HTTP/2, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(message: string, options: ConnectionErrorOptions = {}) {
    super(message, options);
    this.notProcessed = options.notProcessed ?? false;
    this.onKeptConnection = options.onKeptConnection ?? false;
    const { code } = (options.cause ?? {}) as { readonly code?: unknown };
    this.code = typeof code === "string" ? code : undefined;
  }
}

interface ConnectionErrorOptions extends ErrorOptions {
  readonly notProcessed?: boolean;
  readonly onKeptConnection?: boolean;
}
