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
    else drain(response.req);
  });
}

/** Where there is no answer to pass on. */
export function passFailure(response: ApiResponse, error: StatusError): void {
  answerError(response, error);
  if (response.req.httpVersionMajor < 2) drain(response.req);
  else closeUnended((response as unknown as Http2ServerResponse).stream);
}

/** A client that does not end its request would keep the stream open; once the answer is sent it is told that the rest is not wanted. */
function closeUnended(stream: Http2ServerResponse["stream"]): void {
  const hasEnded = stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
  if (!hasEnded && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** The only way to say that an answer which has begun is not whole. */
function cutShort(response: ApiResponse): void {
  if (response.req.httpVersionMajor < 2) response.destroy();
  else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** What the client still sends after its answer has nobody to go to, and would keep the connection from being used again. */
function drain(request: ApiRequest): void {
  if (request.readableEnded) return;
  request.unpipe();
  request.resume();
}

/** Who of the two leaves takes the other along; also who has left already. */
export function bindLives(upstream: ClientRequest, response: ApiResponse): void {
  if (response.req.context.end.aborted) upstream.destroy();
  else response.on("close", () => upstream.destroy());
}
