// First and last in the pipeline: whatever goes wrong in between becomes an answer, a line in the log, and never a crash.
import type { ErrorRequestHandler } from "express";
import type { Negotiation } from "../handlers/content-negotiation";
import { answerError, answered, isInternal } from "../http/answer";
import { ClientGoneError } from "../http/request-body";
import { errorFields, type Logger } from "../logging/logger";
import { type ApiRequest, type ApiResponse, type Middleware, RequestContext } from "./request-context";

/** Gives the request its context, and both streams a listener without which an error would end the process. */
export function panicGuard({ negotiation }: { readonly negotiation: Negotiation }): Middleware {
  return (request, response, next) => {
    request.context = new RequestContext(negotiation);
    response.on("error", ignore);
    next();
  };
}

function ignore(): void {}

/** Answers with the Status of what a step threw. Four parameters: that is how Express knows it. */
export function failureAnswer(deps: { readonly logger: Logger }): ErrorRequestHandler {
  return (error: unknown, request, response, _next) =>
    answerFailure(deps.logger, request as never, response as never, error);
}

export function answerFailure(logger: Logger, request: ApiRequest, response: ApiResponse, error: unknown): void {
  if (error instanceof ClientGoneError) {
    // Unless somebody else has answered in the meantime.
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (isInternal(error)) {
    const { id, info } = request.context;
    logger.error("request failed", { requestId: id, method: request.method, path: info.path, ...errorFields(error) });
  }
  // An answer that has begun cannot be taken back; cutting it short is the only way to say that it is not whole.
  if (answered(response)) response.destroy();
  else answerError(response, error);
}
