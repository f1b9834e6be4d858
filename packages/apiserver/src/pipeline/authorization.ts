// May they. Source: facts, errors.json "ForbiddenAuthz".
import { type Attributes, AUTHENTICATED_GROUP, type Authorizer, type Decision, forbiddenRequest } from "@orch/auth";
import type { Vocabulary } from "@orch/schema";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { ApiRequest, Middleware } from "./request-context";

export interface AuthorizationStepDeps {
  readonly authorizer: Authorizer;
  readonly metrics: ServerMetrics;
  readonly vocabulary: Vocabulary;
}

const OWN_ONLY: Decision = { kind: "allow", reason: "only namespaces in which the user may do anything are shown" };

export function authorization(deps: AuthorizationStepDeps): Middleware {
  const { authorizer } = deps;
  const seconds = deps.metrics
    .histogram("apiserver_request_filter_duration_seconds")
    .labels({ filter: "authorization" });
  const { auditAnnotations } = deps.vocabulary;

  function decided({ context }: ApiRequest, attributes: Attributes, decision: Decision): void {
    if (context.audit !== undefined) {
      context.annotate(auditAnnotations.authorizationDecision, decision.kind === "allow" ? "allow" : "forbid");
      context.annotate(auditAnnotations.authorizationReason, decision.reason);
    }
    settle(attributes, decision);
  }

  /** Everybody who is known may see what he may do something in: what is shown is his already. */
  function forAll({ context }: ApiRequest, decision: Decision): Decision {
    const { info, user } = context;
    const ownOnly = info.kind === "collection" && info.accessibleOnly;
    return ownOnly && decision.kind === "noOpinion" && user.groups.includes(AUTHENTICATED_GROUP) ? OWN_ONLY : decision;
  }

  return (request, _response, next) => {
    const attributes = attributesOf(request);
    const startedMs = performance.now();
    const decision = authorizer.authorize(attributes);
    if (!(decision instanceof Promise)) {
      seconds.observe((performance.now() - startedMs) / 1000);
      decided(request, attributes, forAll(request, decision));
      next();
      return;
    }
    decision.then((late) => decided(request, attributes, forAll(request, late))).then(() => next(), next);
  };
}

/**
 * May they do this too? For requests that turn out to need another verb than their own.
 * @throws StatusError Forbidden (403)
 */
export function requireAllowed(authorizer: Authorizer, request: ApiRequest, verb: string): void | Promise<void> {
  const attributes = { ...attributesOf(request), verb };
  const decision = authorizer.authorize(attributes);
  if (decision instanceof Promise) return decision.then((late) => settle(attributes, late));
  settle(attributes, decision);
}

function settle(attributes: Attributes, decision: Decision): void {
  if (decision.kind !== "allow") throw forbiddenRequest(attributes, decision.reason);
}

function attributesOf(request: ApiRequest): Attributes {
  const { info, user } = request.context;
  if (info.kind === "path" || info.kind === "unreadable") {
    return { kind: "nonResource", user, verb: info.verb, path: info.path };
  }
  return {
    kind: "resource",
    user,
    verb: info.verb,
    apiGroup: info.group,
    apiVersion: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  };
}
