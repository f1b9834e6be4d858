// Adds the request id, which is in every answer and log line, and writes one access line per request when enabled.
import { randomUUID } from "node:crypto";
import type { Logger } from "@orch/observability";
import type { ApiResponse, Middleware } from "@orch/request";

const ID_MAX_LENGTH = 128;

export function requestLog(deps: { readonly logger: Logger }): Middleware {
  const { logger } = deps;

  function logFinished({ req, statusCode }: ApiResponse, client: string | undefined): void {
    const { context, method } = req;
    logger.access("request", {
      requestId: context.id,
      method,
      path: context.info.path,
      verb: context.info.verb,
      user: context.user.name,
      impersonator: context.impersonator?.name,
      code: statusCode,
      bytes: context.responseBytes,
      milliseconds: Math.round((performance.now() - context.receivedAt) * 1000) / 1000,
      client,
      userAgent: req.headers["user-agent"],
    });
  }

  return (request, response, next) => {
    const { context } = request;
    const sent = request.headers["audit-id"];
    context.id = typeof sent === "string" && sent !== "" && sent.length <= ID_MAX_LENGTH ? sent : randomUUID();
    if (logger.logsRequests) {
      // A stream of HTTP/2 has no socket any more when it is closed.
      const client = request.socket?.remoteAddress;
      response.on("close", () => logFinished(response, client));
    }
    next();
  };
}
