// The path of a request, from its first byte to its handler. One step a file, in this order:

import type { Authorizer } from "@orch/auth";
import type { Express } from "express";
import type { Negotiation } from "../handlers/content-negotiation";
import { type DispatchDeps, dispatch } from "../handlers/dispatch";
import type { Logger } from "../logging/logger";
import type { RequestRecords } from "../metrics/request-records";
import type { ActiveRequests } from "./active-requests";
import { type AuthenticationDeps, authentication } from "./authentication";
import { authorization } from "./authorization";
import { cors } from "./cors";
import { impersonation } from "./impersonation";
import type { InFlightLimits } from "./in-flight-limits";
import { failureAnswer, panicGuard } from "./panic-guard";
import type { Middleware } from "./request-context";
import { requestInfo } from "./request-info-step";
import { requestLog } from "./request-log";
import { requestMetrics } from "./request-metrics";
import { type ShutdownGate, shutdownGate } from "./shutdown-gate";
import { transportSecurity } from "./transport-security";
import { withoutWarnings } from "./without-warnings";

export interface PipelineDeps extends DispatchDeps, AuthenticationDeps {
  readonly negotiation: Negotiation;
  readonly logger: Logger;
  readonly records: RequestRecords;
  readonly active: ActiveRequests;
  readonly inFlight: InFlightLimits;
  readonly gate: ShutdownGate;
  readonly corsOrigins: readonly RegExp[];
  /** Value of the Strict-Transport-Security header; "": not sent. */
  readonly transportSecurity: string;
  readonly authorizer: Authorizer;
}

export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const steps: readonly Middleware[] = [
    panicGuard(deps),
    requestLog(deps),
    requestMetrics(deps),
    requestInfo(deps),
    shutdownGate(deps),
    deps.active.step(),
    ...(deps.gates.WarningHeaders ? [] : [withoutWarnings()]),
    ...(deps.transportSecurity === "" ? [] : [transportSecurity(deps.transportSecurity)]),
    ...(deps.corsOrigins.length === 0 ? [] : [cors(deps.corsOrigins)]),
    authentication(deps),
    // Audit begins here, once the server has it.
    impersonation(),
    deps.inFlight.step(),
    authorization(deps),
    dispatch(deps),
  ];
  for (const step of steps) app.use(step as never);
  app.use(failureAnswer(deps));
}
