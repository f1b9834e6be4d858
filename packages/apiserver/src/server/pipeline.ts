// The path of a request, from its first byte to its handler. Each step has a file of its own, imported below.

import { type AuditDeps, audit, auditRefused, auditUnauthenticated } from "@orch/audit";
import type { Authorizer } from "@orch/auth";
import type { InFlightControl } from "@orch/flow-control";
import type { BodyBudget } from "@orch/http-server";
import type { Logger, RequestTracer } from "@orch/observability";
import type { Middleware } from "@orch/request";
import { existsIn } from "@orch/schema";
import type { Express } from "express";
import { type DispatchDeps, dispatch } from "../handlers/dispatch";
import type { ActiveRequests } from "../pipeline/active-requests";
import { type AuthenticationDeps, authentication } from "../pipeline/authentication";
import { type AuthorizationStepDeps, authorization } from "../pipeline/authorization";
import { browserEntry } from "../pipeline/browser-entry";
import { bufferBody } from "../pipeline/buffer-body";
import { cborBody } from "../pipeline/cbor-body";
import type { ClientTally } from "../pipeline/client-tally";
import { cors } from "../pipeline/cors";
import { crossSite } from "../pipeline/cross-site";
import { impersonation } from "../pipeline/impersonation";
import { inFlight } from "../pipeline/in-flight-control";
import { inOrder } from "../pipeline/in-order";
import { failureAnswer } from "../pipeline/panic-guard";
import { type RequestInfoDeps, requestInfo } from "../pipeline/request-info-step";
import { requestLog } from "../pipeline/request-log";
import { requestMetrics } from "../pipeline/request-metrics";
import type { RequestRecords } from "../pipeline/request-records";
import { requestTimeout } from "../pipeline/request-timeout";
import { beforeAuthentication, requestTracing } from "../pipeline/request-tracing";
import { type ShutdownGate, shutdownGate } from "../pipeline/shutdown-gate";
import { transportSecurity } from "../pipeline/transport-security";
import { withoutWarnings } from "../pipeline/without-warnings";
import type { Requesters } from "../recording/requesters";

export interface PipelineDeps
  extends DispatchDeps,
    AuthenticationDeps,
    AuthorizationStepDeps,
    Omit<AuditDeps, "metrics"> {
  readonly logger: Logger;
  readonly peers: RequestInfoDeps["peers"];
  readonly records: RequestRecords;
  readonly clients: ClientTally;
  readonly active: ActiveRequests;
  readonly inFlight: InFlightControl;
  readonly bodies: BodyBudget;
  readonly gate: ShutdownGate;
  readonly corsOrigins: readonly RegExp[];
  /** Value of the Strict-Transport-Security header; "" when it is not sent. */
  readonly transportSecurity: string;
  /** Returns the path of the page that a browser is led to from the bare address. */
  readonly entryPage: () => string;
  readonly authorizer: Authorizer;
  /** The Kubernetes release whose API is served. */
  readonly release: string;
  /** Undefined when changes are not recorded. */
  readonly requesters: Requesters | undefined;
  /** Undefined when tracing is off. */
  readonly tracer: RequestTracer | undefined;
}

/** Releases that apply the timeout parameter to every request, not only to writes. */
const TIMED_READS = { since: "1.21" };

export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const audited = deps.auditSinks.length > 0;
  const { tracer } = deps;
  const carryOut = deps.requesters?.step(dispatch(deps)) ?? dispatch(deps);
  const steps: readonly Middleware[] = [
    requestLog(deps),
    requestMetrics(deps),
    requestInfo(audited ? { ...deps, refused: auditRefused(deps) } : deps),
    shutdownGate(deps),
    deps.active.step(),
    ...(existsIn(TIMED_READS, deps.release) ? [requestTimeout()] : []),
    ...(deps.gates.WarningHeaders ? [] : [withoutWarnings()]),
    ...(deps.transportSecurity === "" ? [] : [transportSecurity(deps.transportSecurity)]),
    ...(deps.corsOrigins.length === 0 ? [] : [cors(deps.corsOrigins)]),
    browserEntry(deps.entryPage),
    ...(tracer === undefined ? [] : [beforeAuthentication]),
    authentication(audited ? { ...deps, unauthenticated: auditUnauthenticated(deps) } : deps),
    ...(tracer === undefined ? [] : [requestTracing(tracer)]),
    ...(audited ? [audit(deps)] : []),
    crossSite(deps.corsOrigins),
    impersonation(deps),
    authorization(deps),
    bufferBody(deps, inFlight(deps, deps.gates.CBORServingAndStorage ? cborBody(deps, carryOut) : carryOut)),
  ];
  app.use(inOrder(steps) as never);
  app.use(failureAnswer(deps));
}
