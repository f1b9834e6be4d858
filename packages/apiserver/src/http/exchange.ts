// A request and its answer as the transport knows them; HTTP/2's have the same face as HTTP/1's. What serves them knows more of each, and
// its types say so.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { EndSignal } from "@orch/platform";

/** What is known of a request, as far as its transport goes. */
export interface Exchange {
  /** Echoed as `Audit-Id`. */
  readonly id: string;
  /** Under which name, with its port, the client asks for this server; "" where it does not say. */
  readonly host: string;
  readonly user: { readonly name: string };
  readonly info: { readonly longRunning: boolean };
  /** Nobody waits for it any more. */
  readonly end: EndSignal;
  /** Texts for `Warning` headers. */
  readonly warnings: readonly string[] | undefined;
  /** Of the answer, beside those of every answer: names and values in turn. */
  readonly flowHeaders: readonly string[] | undefined;
  /** Received before the handler begins. */
  body: Buffer;
  /** Memory that the body takes, of what there is for all bodies. */
  bodyBytes: number;
  /** When the last piece of the body came, while more is to come; else 0. */
  receivingSince: number;
  /** Of the answer, for metrics. */
  contentType: string;
  responseBytes: number;
  /** Of the answer: what has not even been handed to the connection. */
  unsentBytes: number;
  /** Is shown the answer. */
  readonly tap: AnswerTap | undefined;
}

/** Who wants to see the bytes of an answer that is no stream, as they are sent: compressed where they are. */
export interface AnswerTap {
  whole(bytes: Buffer): void;
  /** Of an answer in pieces. They are to be copied: their memory is used again. */
  piece(bytes: Buffer): void;
}

/** A connection on which HTTP is over. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** What has come in after the request's head. */
  readonly head: Buffer;
  /** Somebody answers on it past the response. */
  isTaken?: boolean;
}

export interface HttpRequest extends IncomingMessage {
  context: Exchange;
  /** Set when the client asks to speak another protocol from here on. */
  upgraded?: UpgradedConnection;
  res?: HttpResponse;
}

export interface HttpResponse extends ServerResponse<IncomingMessage> {
  req: HttpRequest;
}
