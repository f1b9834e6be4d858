// The path of a request, from its first byte to its handler. Each step has a file of its own, imported below.

import type { Authorizer } from "@orch/auth";
import type { Express } from "express";
import { browserEntry } from "../docs/browser-entry";
import { type DispatchDeps, dispatch } from "../handlers/dispatch";
import type { BodyBudget } from "../http/body-budget";
import type { Logger } from "../logging/logger";
import type { RequestRecords } from "../metrics/request-records";
import type { ActiveRequests } from "./active-requests";
import { type AuditDeps, audit, auditRefused, auditUnauthenticated } from "./audit";
import { type AuthenticationDeps, authentication } from "./authentication";
import { type AuthorizationStepDeps, authorization } from "./authorization";
import { cors } from "./cors";
import { impersonation } from "./impersonation";
import { type InFlightControl, inFlight } from "./in-flight-control";
import { inOrder } from "./in-order";
import { failureAnswer } from "./panic-guard";
import type { Middleware } from "./request-context";
import { requestInfo } from "./request-info-step";
import { requestLog } from "./request-log";
import { requestMetrics } from "./request-metrics";
import { type ShutdownGate, shutdownGate } from "./shutdown-gate";
import { transportSecurity } from "./transport-security";
import { wholeBody } from "./whole-body";
import { withoutWarnings } from "./without-warnings";

export interface PipelineDeps extends DispatchDeps, AuthenticationDeps, AuthorizationStepDeps, AuditDeps {
  readonly logger: Logger;
  readonly records: RequestRecords;
  readonly active: ActiveRequests;
  readonly inFlight: InFlightControl;
  readonly bodies: BodyBudget;
  readonly gate: ShutdownGate;
  readonly corsOrigins: readonly RegExp[];
  /** Value of the Strict-Transport-Security header; "" when it is not sent. */
  readonly transportSecurity: string;
  readonly authorizer: Authorizer;
  /** The Kubernetes release whose API is served. */
  readonly release: string;
}

export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const audited = deps.auditSinks.length > 0;
  const steps: readonly Middleware[] = [
    requestLog(deps),
    requestMetrics(deps),
    requestInfo(audited ? { ...deps, refused: auditRefused(deps) } : deps),
    shutdownGate(deps),
    deps.active.step(),
    ...(deps.gates.WarningHeaders ? [] : [withoutWarnings()]),
    ...(deps.transportSecurity === "" ? [] : [transportSecurity(deps.transportSecurity)]),
    ...(deps.corsOrigins.length === 0 ? [] : [cors(deps.corsOrigins)]),
    browserEntry(),
    authentication(audited ? { ...deps, unauthenticated: auditUnauthenticated(deps) } : deps),
    ...(audited ? [audit(deps)] : []),
    impersonation(deps),
    authorization(deps),
    wholeBody(deps, inFlight(deps, dispatch(deps))),
  ];
  app.use(inOrder(steps) as never);
  app.use(failureAnswer(deps));
}
