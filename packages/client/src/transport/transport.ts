// Bytes to a server and back, over whichever protocol it speaks.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { StopSignal } from "@orch/platform";

export interface TransportRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** The answer goes on for long. */
  readonly isWatch?: boolean;
  /** Ends the request, and the answer's body if that is still being read. */
  readonly signal: StopSignal;
}

/** Of which somebody reads these. */
export type AnswerHeaders = Readonly<Pick<IncomingHttpHeaders, "retry-after" | "warning">>;

export interface TransportResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
}

/** To be read in one of two ways. */
export interface AnswerBody {
  /** @throws ConnectionError where it was cut off, or has more than `maxBytes`: the rest is then not read */
  bytes(maxBytes?: number): Promise<Buffer>;
  /** As it comes. To be read to its end or destroyed. */
  stream(): Readable;
}

export interface Transport {
  /** @throws ConnectionError where there is no answer; the signal's reason when aborted */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends what is open. */
  close(): void;
}

/** Where on the network. */
export interface NetworkAddress {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** No answer came, or not all of it. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The server certainly has not acted on the request: it may be sent again, whatever it was. */
  readonly notProcessed: boolean;
  /** It was sent on a connection that had been used before: the server may have closed that without having seen the request. */
  readonly onKeptConnection: boolean;
  /** Of the operating system or of HTTP/2, such as ECONNREFUSED. */
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
