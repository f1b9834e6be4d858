// A request and its answer at the level of HTTP, with one type for HTTP/1 and HTTP/2. The server extends both types.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { EndSignal } from "@orch/platform";

/** Context of a request at the level of HTTP. */
export interface Exchange {
  /** Sent as `Audit-Id`. */
  readonly id: string;
  /** Host and port that the client named; "" for none. */
  readonly host: string;
  readonly user: { readonly name: string };
  readonly info: { readonly longRunning: boolean };
  /** Signals that the client has left or the request is over. */
  readonly end: EndSignal;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[] | undefined;
  /** Additional headers of the answer: names and values in turn. */
  readonly flowHeaders: readonly string[] | undefined;
  /** Received before the handler begins. */
  body: Buffer;
  /** Bytes that the body takes from the budget of all bodies. */
  bodyBytes: number;
  /** Time of the last piece of the body while more is expected; otherwise 0. */
  receivingSince: number;
  /** Figures of the answer, for metrics. */
  contentType: string;
  responseBytes: number;
  /** Bytes of the answer that have not been passed to the connection. */
  unsentBytes: number;
  /** Receives a copy of the answer. */
  readonly tap: AnswerTap | undefined;
}

/** Receives the bytes of an answer that is no stream, as they are sent: possibly compressed. */
export interface AnswerTap {
  whole(bytes: Buffer): void;
  /** Receives a piece of the answer. The receiver must copy it, because its memory is reused. */
  piece(bytes: Buffer): void;
}

/** A connection that has left HTTP. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** Bytes received after the head of the request. */
  readonly head: Buffer;
  /** Whether a handler answers on the connection directly. */
  isTaken?: boolean;
}

export interface HttpRequest extends IncomingMessage {
  context: Exchange;
  /** Set when the client requests an upgrade. */
  upgraded?: UpgradedConnection;
  res?: HttpResponse;
}

export interface HttpResponse extends ServerResponse<IncomingMessage> {
  req: HttpRequest;
}
