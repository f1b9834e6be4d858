// Passes a backend's answer to the client as it arrives, with back pressure.

import type { ClientRequest, IncomingMessage } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { pipeline, type Transform } from "node:stream";
import { answered } from "@orch/http-server";
import type { StatusError } from "@orch/machinery";
import { type ApiRequest, type ApiResponse, answerError } from "@orch/request";

export interface ResponseHead {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** @param through transforms of the body */
export function streamResponse(
  answer: IncomingMessage,
  response: ApiResponse,
  { code, headers }: ResponseHead,
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
  // A body that breaks off must not look complete; `pipeline` reports it as an error.
  pipeline([answer, ...through, response as unknown as NodeJS.WritableStream], (error) => {
    if (error !== null && error !== undefined) cutShort(response);
    else drain(response.req);
  });
}

/** Answers with a failure when there is no answer to pass on. */
export function passFailure(response: ApiResponse, error: StatusError): void {
  answerError(response, error);
  if (response.req.httpVersionMajor < 2) drain(response.req);
  else closeUnended((response as unknown as Http2ServerResponse).stream);
}

/** A client that does not end its request would keep the HTTP/2 stream open; it is reset after the answer. */
function closeUnended(stream: Http2ServerResponse["stream"]): void {
  const hasEnded = stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
  if (!hasEnded && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** Breaks off an answer that has begun, so that the client does not take it for complete. */
function cutShort(response: ApiResponse): void {
  if (response.req.httpVersionMajor < 2) response.destroy();
  else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** Reads and drops the rest of the request, so that the connection can be reused. */
function drain(request: ApiRequest): void {
  if (request.readableEnded) return;
  request.unpipe();
  request.resume();
}

/** Ends each side when the other one leaves, or has left already. */
export function bindLives(upstream: ClientRequest, response: ApiResponse): void {
  if (response.req.context.end.aborted) upstream.destroy();
  else response.on("close", () => upstream.destroy());
}
