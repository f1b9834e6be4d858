// Audit step: records each request, its user and its outcome. The step exists only when auditing is on; otherwise audit
// annotations are dropped.
import type { TLSSocket } from "node:tls";
import { internalError, type StatusError } from "@orch/machinery";
import type { NamedMetrics } from "@orch/platform";
import type { ApiRequest, ApiResponse, Middleware } from "@orch/request";
import { AuditRecord, type AuditRecordDeps, BodyMemory } from "./audit-record";

export interface AuditDeps extends Omit<AuditRecordDeps, "kept"> {
  readonly metrics: NamedMetrics<"apiserver_audit_requests_rejected_total">;
}

/** Follows authentication. Refuses a request whose RequestReceived event cannot be written. */
export function audit(deps: AuditDeps): Middleware {
  const ofRecords = { ...deps, kept: new BodyMemory() };
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

/** Writes one event for a request that failed authentication, with its answer. */
export function auditUnauthenticated(deps: AuditDeps): (response: ApiResponse) => void {
  const ofRecords = { ...deps, kept: new BodyMemory() };
  return (response) => {
    const record = AuditRecord.of(response, ofRecords);
    if (record === undefined) return;
    record.refused(() => attempted(response.req));
    response.req.context.audit = record;
  };
}

/** Writes one event for a request that is refused before its user and target are known, with its answer. */
export function auditRefused(deps: AuditDeps): (response: ApiResponse) => void {
  const ofRecords = { ...deps, kept: new BodyMemory() };
  return (response) => {
    response.req.context.audit = AuditRecord.of(response, ofRecords);
  };
}

/**
 * Names the methods of the credentials that a request carries, never the credentials. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/filters/authn_audit.go.
 */
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
