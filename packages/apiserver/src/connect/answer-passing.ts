// The other side's answer, passed on to the client as it comes in: what the one does not take, the other need not send yet.

import type { ClientRequest, IncomingMessage } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { pipeline, type Transform } from "node:stream";
import type { StatusError } from "@orch/machinery";
import { answered } from "../http/answer";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { answerError } from "../representations/error-answer";

export interface PassedHead {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** @param through what changes the body on its way */
export function passAnswer(
  answer: IncomingMessage,
  response: ApiResponse,
  { code, headers }: PassedHead,
  through: readonly Transform[] = [],
): void {
  if (answered(response)) {
    answer.destroy();
    return;
  }
  const { context } = response.req;
  response.writeHead(code, { "cache-control": "no-cache, private", ...headers, "audit-id": context.id });
  response.flushHeaders();
  answer.on("data", (piece: Buffer) => {
    context.responseBytes += piece.length;
  });
  context.stream = {
    end() {
      answer.unpipe();
      answer.destroy();
      response.end();
    },
  };
  // A body that breaks off must not look like one that has ended; it is what `pipeline` tells by an error.
  pipeline([answer, ...through, response as unknown as NodeJS.WritableStream], (error) => {
    if (error !== null && error !== undefined) cutShort(response);
    else heedNoMore(response);
  });
  // Over HTTP/2 a response has finished when its stream is closed, which its client may not do.
  if (response.req.httpVersionMajor >= 2) (through.at(-1) ?? answer).once("end", () => heedNoMore(response));
}

/** Where there is no answer to pass on. */
export function passFailure(response: ApiResponse, error: StatusError): void {
  answerError(response, error);
  heedNoMore(response);
}

/** The only way to say that an answer which has begun is not whole. */
function cutShort(response: ApiResponse): void {
  if (response.req.httpVersionMajor < 2) response.destroy();
  else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/**
 * What the client still sends of a request that has its answer has nobody to go to. Over HTTP/1.1 it is read, or it would keep the connection
 * from being used again; a stream is closed, or it would be open for as long as the client does not end it.
 */
function heedNoMore(response: ApiResponse): void {
  const request: ApiRequest = response.req;
  if (request.readableEnded) return;
  request.unpipe();
  if (request.httpVersionMajor < 2) request.resume();
  // Once what is written has been sent.
  else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_NO_ERROR);
}

/** Who of the two leaves takes the other along; also who has left already. */
export function bindLives(upstream: ClientRequest, response: ApiResponse): void {
  if (response.req.context.end.aborted) upstream.destroy();
  else response.on("close", () => upstream.destroy());
}
