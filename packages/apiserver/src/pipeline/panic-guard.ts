// Last in the pipeline: what a step throws, or its promise is rejected with, becomes an answer, and a line in the log where it is a fault
// of the server. What is thrown in a callback of a timer or of a socket does not come by here: see Edge.contain.
import { StatusError } from "@orch/machinery";
import { errorFields, messageOf } from "@orch/platform";
import { StoreError } from "@orch/store";
import type { ErrorRequestHandler } from "express";
import { answered, isInternal } from "../http/answer";
import { ClientGoneError } from "../http/request-body";
import type { Logger } from "../logging/logger";
import { RareLine } from "../logging/rare-line";
import { answerError } from "../representations/error-answer";
import type { ApiRequest, ApiResponse } from "./request-context";

/** Answers with the Status of what a step threw. Four parameters: that is how Express knows it. */
export function failureAnswer(deps: { readonly logger: Logger }): ErrorRequestHandler {
  return (error: unknown, request, response, _next) =>
    answerFailure(deps.logger, request as never, response as never, error);
}

/** Never fails itself: whoever calls it has nobody else to turn to. */
export function answerFailure(logger: Logger, request: ApiRequest, response: ApiResponse, error: unknown): void {
  try {
    tellFailure(logger, request, response, error);
  } catch (another) {
    logger.error("a failure could not be answered", errorFields(another));
    response.destroy();
  }
}

function tellFailure(logger: Logger, request: ApiRequest, response: ApiResponse, error: unknown): void {
  if (error instanceof ClientGoneError) {
    // Unless somebody else has answered in the meantime.
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (!(error instanceof StatusError)) request.context.audit?.panicked();
  if (isInternal(error)) tellFault(logger, request, error);
  // An answer that has begun cannot be taken back; cutting it short is the only way to say that it is not whole.
  if (!answered(response)) answerError(response, error);
  // Nor need it be, where another has ended it in the meantime.
  else if (!response.writableEnded) response.destroy();
}

function tellFault(logger: Logger, request: ApiRequest, error: unknown): void {
  const { id, info } = request.context;
  const line = { requestId: id, method: request.method, path: info.path };
  if (isOfFullStore(error)) {
    const untold = fullStoreLine(logger).due();
    // Health checks tell of it, too. A stack would say where it is found out, each time the same.
    if (untold !== undefined) logger.error("a write is refused", { ...line, error: messageOf(error), untold });
    return;
  }
  logger.error("request failed", { ...line, ...errorFields(error) });
}

const isOfFullStore = (error: unknown): boolean =>
  error instanceof StatusError && error.cause instanceof StoreError && error.cause.code === "full";

/** Every write meets it, as long as it lasts, and the log may well be on the same disk. */
const fullStoreLines = new WeakMap<Logger, RareLine>();

function fullStoreLine(logger: Logger): RareLine {
  const line = fullStoreLines.get(logger) ?? new RareLine(() => performance.now());
  fullStoreLines.set(logger, line);
  return line;
}
