// Receives the body of a request, bounded in size and by the budget of all bodies. The caller bounds its time.

import { constants, type Http2ServerResponse } from "node:http2";
import {
  requestEntityTooLarge,
  type StatusError,
  TOO_LARGE_TEXT,
  tooManyRequests,
  unsupportedContentEncoding,
} from "@orch/machinery";
import { ClientGoneError } from "@orch/platform";
import type { BodyBudget } from "./body-budget";
import type { HttpRequest, HttpResponse } from "./exchange";

/** Source: staging/src/k8s.io/apiserver/pkg/server/config.go, MaxRequestBodyBytes. */
export const REQUEST_BODY_MAX_BYTES = 3 * 1024 * 1024;

/** Returns the complete body, received before the handler was called. */
export function readBody({ context }: HttpRequest): Buffer {
  return context.body;
}

/** Whether a body may follow the head. */
export function mayHaveBody(request: HttpRequest): boolean {
  const { headers } = request;
  if (request.httpVersionMajor < 2) {
    return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  }
  return !(request as unknown as { readonly stream: { readonly endAfterHeaders: boolean } }).stream.endAfterHeaders;
}

/** Reason for an incomplete body. */
export type BodyFailure = StatusError | ClientGoneError;

/**
 * Receives the complete body into the context of the request. Bytes beyond the limits are dropped; kept bytes are taken
 * from the budget, to be returned when the body is no longer needed. Uses a callback, because every write passes here.
 * @param done called once: RequestEntityTooLarge (413), UnsupportedMediaType (415) for a compressed body,
 * TooManyRequests (429) when other bodies use the whole budget, ClientGoneError; undefined: the body is complete
 */
export function receiveBody(
  request: HttpRequest,
  budget: BodyBudget,
  done: (failure: BodyFailure | undefined) => void,
): void {
  const { context, headers } = request;
  const refusal = refusalOf(headers);
  if (refusal !== undefined) {
    done(refusal);
    return;
  }
  const user = context.user.name;
  const gathered = new GatheredBytes((more) => budget.take(user, more));
  let settled = false;
  const settle = (failure: BodyFailure | undefined): void => {
    if (settled) return;
    settled = true;
    context.receivingSince = 0;
    context.end.removeEventListener("abort", giveUp);
    if (failure === undefined) {
      context.bodyBytes = gathered.kept;
      context.body = gathered.whole();
    } else {
      budget.giveBack(user, gathered.kept);
      gathered.drop();
    }
    done(failure);
  };
  const giveUp = () => settle(new ClientGoneError("the request ended before its body"));
  context.end.addEventListener("abort", giveUp);
  context.receivingSince = performance.now();
  request.on("data", (piece: Buffer) => {
    if (settled) return;
    if (gathered.length + piece.length > REQUEST_BODY_MAX_BYTES) settle(tooLarge());
    else if (!gathered.add(piece)) settle(tooManyBytes());
    else context.receivingSince = performance.now();
  });
  // An aborted request ends too.
  request.on("end", () => (request.aborted ? giveUp() : settle(undefined)));
  request.on("error", ignore);
}

/** Refusals that follow from the head alone. */
function refusalOf(headers: HttpRequest["headers"]): StatusError | undefined {
  const coding = headers["content-encoding"];
  if (coding !== undefined && !/^(identity)?$/i.test(coding)) return unsupportedContentEncoding(coding);
  const announced = headers["content-length"];
  return announced !== undefined && Number(announced) > REQUEST_BODY_MAX_BYTES ? tooLarge() : undefined;
}

function ignore(): void {}

/**
 * Gathers pieces of a body. Most bodies are one piece, which is kept as it is; further ones are copied, because a piece
 * may be a small part of a large buffer, all of which would be kept in memory.
 */
class GatheredBytes {
  length = 0;
  /** Bytes of memory. */
  kept = 0;
  private memory: Buffer = NOTHING;

  /** @param take whether the budget allows more bytes */
  constructor(private readonly take: (bytes: number) => boolean) {}

  /** @returns false when the budget does not allow it */
  add(piece: Buffer): boolean {
    const length = this.length + piece.length;
    if (this.length === 0) {
      if (!this.take(length)) return false;
      this.memory = piece;
      this.kept = length;
    } else {
      if (length > this.kept) {
        const kept = Math.max(length, Math.min(2 * this.kept, REQUEST_BODY_MAX_BYTES));
        if (!this.take(kept - this.kept)) return false;
        const memory = Buffer.allocUnsafeSlow(kept);
        this.memory.copy(memory, 0, 0, this.length);
        this.memory = memory;
        this.kept = kept;
      }
      piece.copy(this.memory, this.length);
    }
    this.length = length;
    return true;
  }

  whole(): Buffer {
    return this.memory.subarray(0, this.length);
  }

  drop(): void {
    this.memory = NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Gives up the rest of the body at the end of the answer: an HTTP/2 stream ends then. HTTP/1.1 has to read the rest
 * before the next request, or close the connection.
 */
export function giveUpBody(response: HttpResponse): void {
  if (!("stream" in response)) return;
  const { stream } = response as unknown as Http2ServerResponse;
  stream.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
}

const tooLarge = (): StatusError => requestEntityTooLarge(TOO_LARGE_TEXT.body(REQUEST_BODY_MAX_BYTES));

const tooManyBytes = (): StatusError =>
  tooManyRequests("the memory for request bodies is exhausted, please try again later", {
    retryAfterSeconds: 1,
  });
