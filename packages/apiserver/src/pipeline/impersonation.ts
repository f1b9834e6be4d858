// Impersonation step: replaces the user of a request when the requester may impersonate. Authorization, limits and
// handlers see only the impersonated user from here on. Source: Kubernetes documentation, "Authenticating", "User
// impersonation".
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Authorizer,
  forbiddenRequest,
  type Impersonation,
  impersonatedUser,
  impersonationChecks,
  readImpersonation,
} from "@orch/auth";
import type { ServerMetrics } from "@orch/observability";
import type { Middleware, RequestContext } from "@orch/request";
import { existsIn, type Vocabulary } from "@orch/schema";

export interface ImpersonationDeps {
  readonly authorizer: Authorizer;
  readonly metrics: ServerMetrics;
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

/**
 * Releases with the Impersonate-Uid header. Source: Kubernetes documentation, "Authenticating", "User impersonation".
 */
const UIDS = { since: "1.22" };
/** Checks per turn of the event loop: the headers have room for thousands of groups. */
const CHECKS_PER_TURN = 200;

export function impersonation(deps: ImpersonationDeps): Middleware {
  const knowsUids = existsIn(UIDS, deps.release);
  const seconds = deps.metrics
    .histogram("apiserver_request_filter_duration_seconds")
    .labels({ filter: "impersonation" });

  return (request, _response, next) => {
    const startedMs = performance.now();
    const as = readImpersonation(request.rawHeaders, { knowsUids });
    if (as === undefined) {
      next();
      return;
    }
    const { context } = request;
    requireAll(deps, context, as)
      .finally(() => seconds.observe((performance.now() - startedMs) / 1000))
      .then(() => {
        if (context.end.aborted) return;
        context.impersonator = context.user;
        context.user = impersonatedUser(as);
        next();
      }, next);
  };
}

/**
 * Requires permission for each part of the identity.
 * @throws StatusError Forbidden (403) that names the first part that the user must not impersonate
 */
async function requireAll(
  { authorizer, vocabulary }: ImpersonationDeps,
  { user, end }: RequestContext,
  as: Impersonation,
): Promise<void> {
  let checks = 0;
  for (const attributes of impersonationChecks(user, as, vocabulary)) {
    const decided = authorizer.authorize(attributes);
    const decision = decided instanceof Promise ? await decided : decided;
    if (decision.kind !== "allow") throw forbiddenRequest(attributes, decision.reason);
    if (++checks % CHECKS_PER_TURN === 0) await nextTurn();
    if (end.aborted) return;
  }
}
