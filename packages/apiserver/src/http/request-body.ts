// A request's body, bounded in size and in what all bodies together may take. Its time is bounded by those who look after requests.
import { constants, type Http2ServerResponse } from "node:http2";
import {
  requestEntityTooLarge,
  type StatusError,
  TOO_LARGE_TEXT,
  tooManyRequests,
  unsupportedContentEncoding,
} from "@orch/machinery";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { BodyBudget } from "./body-budget";

/** Source: facts, http.md "Limits". */
const BODY_MAX_BYTES = 3 * 1024 * 1024;

/** The client went away while sending; nobody is left to answer. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/** The whole body, which has been received before the request came to its handler. */
export function readBody({ context }: ApiRequest): Buffer {
  return context.body;
}

/** Whether any may follow the head. */
export function mayHaveBody(request: ApiRequest): boolean {
  const { headers } = request;
  if (request.httpVersionMajor < 2) {
    return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  }
  return !(request as unknown as { readonly stream: { readonly endAfterHeaders: boolean } }).stream.endAfterHeaders;
}

/** Why there is no whole body. */
export type BodyFailure = StatusError | ClientGoneError;

/**
 * The whole body, into the request's context. What exceeds the limits is not kept; what is kept has been taken from the budget, to be
 * given back when the body is of no use any more. By a callback, because every write comes through here.
 * @param done told once: RequestEntityTooLarge (413), UnsupportedMediaType (415) for one that is compressed, TooManyRequests (429)
 *   where other bodies take all that there is, ClientGoneError; undefined: the body is there
 */
export function receiveBody(
  request: ApiRequest,
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
    if (gathered.length + piece.length > BODY_MAX_BYTES) settle(tooLarge());
    else if (!gathered.add(piece)) settle(tooManyBytes());
    else context.receivingSince = performance.now();
  });
  // The end of what has come, too, is an end.
  request.on("end", () => (request.aborted ? giveUp() : settle(undefined)));
  request.on("error", ignore);
}

/** Known from the head alone. */
function refusalOf(headers: ApiRequest["headers"]): StatusError | undefined {
  const coding = headers["content-encoding"];
  if (coding !== undefined && !/^(identity)?$/i.test(coding)) return unsupportedContentEncoding(coding);
  const announced = headers["content-length"];
  return announced !== undefined && Number(announced) > BODY_MAX_BYTES ? tooLarge() : undefined;
}

function ignore(): void {}

/**
 * Pieces put together as they come. Most bodies are one piece, which is kept as it is; further ones are copied, because a piece may
 * be a small part of much that has come in with it, all of which would stay as long as the piece does.
 */
class GatheredBytes {
  length = 0;
  /** Of memory. */
  kept = 0;
  private memory: Buffer = NOTHING;

  /** @param take asks whether so much more may be kept */
  constructor(private readonly take: (bytes: number) => boolean) {}

  /** @returns false where it may not be kept */
  add(piece: Buffer): boolean {
    const length = this.length + piece.length;
    if (this.length === 0) {
      if (!this.take(length)) return false;
      this.memory = piece;
      this.kept = length;
    } else {
      if (length > this.kept) {
        const kept = Math.max(length, Math.min(2 * this.kept, BODY_MAX_BYTES));
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
 * What has not come by the end of the answer is not waited for: a stream of HTTP/2 ends then. HTTP/1.1 has to read all of it before the
 * next request, or to close the connection.
 */
export function giveUpBody(response: ApiResponse): void {
  if (!("stream" in response)) return;
  const { stream } = response as unknown as Http2ServerResponse;
  stream.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
}

const tooLarge = (): StatusError => requestEntityTooLarge(TOO_LARGE_TEXT.body(BODY_MAX_BYTES));

const tooManyBytes = (): StatusError =>
  tooManyRequests("the bodies of other requests take all the memory that there is for them, please try again later", {
    retryAfterSeconds: 1,
  });
