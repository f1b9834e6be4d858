// Impersonation step: replaces the user of a request when the requester may impersonate. Authorization, limits and
// handlers see only the impersonated user from here on. Source: Kubernetes documentation, "Authenticating", "User
// impersonation".
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Attributes,
  type Authorizer,
  constrainedModes,
  type Decision,
  forbiddenRequest,
  type Impersonation,
  type ImpersonationCheck,
  type ImpersonationMode,
  impersonatedUser,
  impersonationChecks,
  readImpersonation,
} from "@orch/auth";
import { isReason, type UserInfo } from "@orch/machinery";
import type { ServerMetrics } from "@orch/observability";
import type { ApiRequest, Middleware } from "@orch/request";
import { existsIn, type Vocabulary } from "@orch/schema";
import type { FeatureGates } from "@orch/server-config";
import { actionsOf } from "./authorization";
import { isOfOwnPage } from "./cross-site";

export interface ImpersonationDeps {
  readonly authorizer: Authorizer;
  readonly metrics: ServerMetrics;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates: Pick<FeatureGates, "AuthorizeWithSelectors" | "ConstrainedImpersonation">;
}

/**
 * Releases with the Impersonate-Uid header. Source: Kubernetes documentation, "Authenticating", "User impersonation".
 */
const UIDS = { since: "1.22" };
/** Checks per turn of the event loop: the headers have room for thousands of groups. */
const CHECKS_PER_TURN = 200;

export function impersonation(deps: ImpersonationDeps): Middleware {
  const rules = {
    knowsUids: existsIn(UIDS, deps.release),
    isConstrained: deps.gates.ConstrainedImpersonation,
    groupsKey: undefined,
  };
  // Elsewhere the key is one of many: a proxy that impersonates its users may pass their extra values on.
  const rulesOfOwnPages = { ...rules, groupsKey: deps.vocabulary.userExtraKeys.authenticationGroups };
  const modes = deps.gates.ConstrainedImpersonation ? constrainedModes(deps.vocabulary) : [];
  const seconds = deps.metrics
    .histogram("apiserver_request_filter_duration_seconds")
    .labels({ filter: "impersonation" });

  return (request, _response, next) => {
    const startedMs = performance.now();
    const as = readImpersonation(request.rawHeaders, isOfOwnPage(request.headers) ? rulesOfOwnPages : rules);
    if (as === undefined) {
      next();
      return;
    }
    const { context } = request;
    permitted(deps, modes, { request, as })
      .finally(() => seconds.observe((performance.now() - startedMs) / 1000))
      .then(({ user, constraint }) => {
        if (context.end.aborted) return;
        context.impersonator = context.user;
        context.impersonationConstraint = constraint;
        context.user = user;
        next();
      }, next);
  };
}

interface Asked {
  readonly request: ApiRequest;
  readonly as: Impersonation;
}

interface Permitted {
  readonly user: UserInfo;
  /** Undefined for the verb impersonate. */
  readonly constraint: string | undefined;
}

/**
 * Tries the constrained modes that apply, and then the verb impersonate.
 * @throws StatusError Forbidden (403) that names the first part that the user must not impersonate, in the first mode
 */
async function permitted(
  deps: ImpersonationDeps,
  modes: readonly ImpersonationMode[],
  { request, as }: Asked,
): Promise<Permitted> {
  const { user } = request.context;
  const refusals: unknown[] = [];
  const tried = async (checks: Iterable<ImpersonationCheck>): Promise<boolean> => {
    try {
      await requireAll(deps, request, checks);
      return true;
    } catch (error) {
      if (!isReason(error, "Forbidden")) throw error;
      refusals.push(error);
      return false;
    }
  };
  for (const mode of modes) {
    if (!mode.applies(as, user)) continue;
    const actions = actionsOf(request, deps.gates.AuthorizeWithSelectors);
    if (await tried(checksOn(actions, mode, as))) return { user: mode.userOf(as), constraint: mode.constraint };
  }
  if (await tried(impersonationChecks(user, as, deps.vocabulary)))
    return { user: impersonatedUser(as), constraint: undefined };
  throw refusals[0];
}

function* checksOn(actions: readonly Attributes[], mode: ImpersonationMode, as: Impersonation) {
  for (const action of actions) yield* mode.checks(action, as);
}

/** @throws StatusError Forbidden (403) for the first permission that is missing */
async function requireAll(
  { authorizer }: ImpersonationDeps,
  { context: { end } }: ApiRequest,
  checks: Iterable<ImpersonationCheck>,
): Promise<void> {
  let asked = 0;
  const decide = async (attributes: Attributes): Promise<Decision> => {
    if (++asked % CHECKS_PER_TURN === 0) await nextTurn();
    const decided = authorizer.authorize(attributes);
    return decided instanceof Promise ? await decided : decided;
  };
  const require = async (attributes: Attributes): Promise<void> => {
    const decision = await decide(attributes);
    if (decision.kind !== "allow") throw forbiddenRequest(attributes, decision.reason);
  };
  for (const check of checks) {
    if ("all" in check) {
      if ((await decide(check.all)).kind === "allow") continue;
      for (const each of check.each) {
        await require(each);
        if (end.aborted) return;
      }
    } else {
      await require(check);
    }
    if (end.aborted) return;
  }
}
