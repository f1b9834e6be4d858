// What a request was, who sent it, and what became of it, for those who keep the audit. Where nobody does, there is no such step, and
// what others tell of a request goes nowhere.
import { internalError } from "@orch/machinery";
import type { AuditSink } from "../audit/audit-event";
import { AuditRecord } from "../audit/audit-record";
import type { Logger } from "../logging/logger";
import type { ApiResponse, Middleware } from "./request-context";

export interface AuditDeps {
  readonly auditSinks: readonly AuditSink[];
  readonly logger: Logger;
}

/** After authentication. A request whose reception cannot be written down is refused. */
export function audit({ auditSinks, logger }: AuditDeps): Middleware {
  return (request, response, next) => {
    const { context } = request;
    const record = AuditRecord.of(response, auditSinks, logger);
    if (record === undefined) {
      next();
      return;
    }
    context.audit = record;
    if (record.takesAnswers) context.tap = record;
    if (context.info.longRunning) onHead(response, () => record.started());
    response.on("close", () => record.finished());
    const refuse = (error: unknown): void => next(internalError("failed to store audit event", { cause: error }));
    let waits: void | Promise<void>;
    try {
      waits = record.received();
    } catch (error) {
      refuse(error);
      return;
    }
    if (waits === undefined) next();
    else waits.then(() => next(), refuse);
  };
}

/** A request of nobody known is one event: that it was answered so. */
export function auditUnauthenticated({ auditSinks, logger }: AuditDeps): (response: ApiResponse) => void {
  return (response) => {
    const record = AuditRecord.of(response, auditSinks, logger);
    if (record === undefined) return;
    response.req.context.audit = record;
    response.on("close", () => record.started());
  };
}

function onHead(response: ApiResponse, begun: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...of: unknown[]) => ApiResponse;
  response.writeHead = ((...of: unknown[]) => {
    const written = writeHead(...of);
    begun();
    return written;
  }) as typeof response.writeHead;
}
