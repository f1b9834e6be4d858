// Last step: turns thrown errors and rejected promises into answers, and logs server faults. Errors thrown in callbacks
// of timers or sockets do not arrive here: see ConnectionLimits.contain.

import { answered, isInternal, RareLine } from "@orch/http-server";
import { StatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { ClientGoneError, errorFields, messageOf } from "@orch/platform";
import { type ApiRequest, type ApiResponse, answerError } from "@orch/request";
import { StoreError } from "@orch/store";
import type { ErrorRequestHandler } from "express";

/** Answers with the Status of an error. Express recognizes an error handler by its four parameters. */
export function failureAnswer(deps: { readonly logger: Logger }): ErrorRequestHandler {
  return (error: unknown, request, response, _next) =>
    answerFailure(deps.logger, request as never, response as never, error);
}

/** Never throws: callers cannot handle a failure. */
export function answerFailure(logger: Logger, request: ApiRequest, response: ApiResponse, error: unknown): void {
  try {
    tellFailure(logger, request, response, error);
  } catch (another) {
    logger.error("an error answer could not be sent", errorFields(another));
    response.destroy();
  }
}

function tellFailure(logger: Logger, request: ApiRequest, response: ApiResponse, error: unknown): void {
  if (error instanceof ClientGoneError) {
    // Unless the answer has been completed meanwhile.
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (!(error instanceof StatusError)) request.context.audit?.panicked();
  if (isInternal(error)) tellFault(logger, request, error);
  // An answer that has begun cannot be replaced. Cutting it off is the only way to show that it is incomplete.
  if (!answered(response)) answerError(response, error);
  // Not when the answer has been completed meanwhile.
  else if (!response.writableEnded) response.destroy();
}

function tellFault(logger: Logger, request: ApiRequest, error: unknown): void {
  const { id, info } = request.context;
  const line = { requestId: id, method: request.method, path: info.path };
  if (isOfFullStore(error)) {
    const untold = fullStoreLine(logger).due();
    // Health checks report this as well. The stack is always the same and says nothing.
    if (untold !== undefined) logger.error("a write was rejected", { ...line, error: messageOf(error), untold });
    return;
  }
  logger.error("request failed", { ...line, ...errorFields(error) });
}

const isOfFullStore = (error: unknown): boolean =>
  error instanceof StatusError && error.cause instanceof StoreError && error.cause.code === "full";

/** Limits the line: every write fails while the store is full, and the log may be on the same disk. */
const fullStoreLines = new WeakMap<Logger, RareLine>();

function fullStoreLine(logger: Logger): RareLine {
  const line = fullStoreLines.get(logger) ?? new RareLine(() => performance.now());
  fullStoreLines.set(logger, line);
  return line;
}
