// What a request was, who sent it, and what became of it, for those who keep the audit. Where nobody does, there is no such step, and
// what others tell of a request goes nowhere.
import type { TLSSocket } from "node:tls";
import { internalError, type StatusError } from "@orch/machinery";
import { AuditRecord, type AuditRecordDeps, KeptBodies } from "../audit/audit-record";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { ApiRequest, ApiResponse, Middleware } from "./request-context";

export interface AuditDeps extends Omit<AuditRecordDeps, "kept"> {
  readonly metrics: ServerMetrics;
}

/** After authentication. A request whose reception cannot be written down is refused. */
export function audit(deps: AuditDeps): Middleware {
  const ofRecords = { ...deps, kept: new KeptBodies() };
  const rejected = deps.metrics.counter("apiserver_audit_requests_rejected_total");
  const refusal = (error: unknown): StatusError => {
    rejected.inc();
    return internalError("failed to store audit event", { cause: error });
  };
  return (request, response, next) => {
    const { context } = request;
    const record = AuditRecord.of(response, ofRecords);
    if (record === undefined) {
      next();
      return;
    }
    context.audit = record;
    context.tellsChanges = deps.changedFieldsKey !== undefined;
    if (record.takesAnswers) context.tap = record;
    if (context.info.longRunning) onHead(response, () => record.started());
    let waits: void | Promise<void>;
    try {
      waits = record.received();
    } catch (error) {
      next(refusal(error));
      return;
    }
    if (waits === undefined) next();
    else
      waits.then(
        () => next(),
        (error: unknown) => next(refusal(error)),
      );
  };
}

/** A request of nobody known is one event: that it was answered so. */
export function auditUnauthenticated(deps: AuditDeps): (response: ApiResponse) => void {
  const ofRecords = { ...deps, kept: new KeptBodies() };
  return (response) => {
    const record = AuditRecord.of(response, ofRecords);
    if (record === undefined) return;
    record.refused(() => attempted(response.req));
    response.req.context.audit = record;
  };
}

/** A request that is refused before it is known who sent it and what it is for is one event: what it was answered. */
export function auditRefused(deps: AuditDeps): (response: ApiResponse) => void {
  const ofRecords = { ...deps, kept: new KeptBodies() };
  return (response) => {
    response.req.context.audit = AuditRecord.of(response, ofRecords);
  };
}

/** With what somebody tried to show who they are: which methods, never what they showed. Source: facts, http.md "Audit", 401. */
function attempted({ headers, context, socket }: ApiRequest): string {
  const { authorization = "" } = headers;
  const tried = [
    ...(/^basic /i.test(authorization) ? ["basic"] : []),
    ...(/^bearer /i.test(authorization) ? ["bearer"] : []),
    ...(context.info.query?.has("access_token") === true ? ["access_token"] : []),
    ...((socket as TLSSocket | undefined)?.getPeerX509Certificate?.() === undefined ? [] : ["x509"]),
  ];
  return tried.length === 0
    ? "Authentication failed, no credentials provided"
    : `Authentication failed, attempted: ${tried.join(", ")}`;
}

function onHead(response: ApiResponse, begun: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...of: unknown[]) => ApiResponse;
  response.writeHead = ((...of: unknown[]) => {
    const written = writeHead(...of);
    begun();
    return written;
  }) as typeof response.writeHead;
}
