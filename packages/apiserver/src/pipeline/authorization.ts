// Authorization step: answers 403 unless an authorizer allows the request. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Attributes,
  AUTHENTICATED_GROUP,
  type Authorizer,
  type Decision,
  forbiddenRequest,
  type RequestedSelectors,
  requestedSelectors,
  sanitised,
} from "@orch/auth";
import { answerText } from "@orch/http-server";
import { internalError, type StatusError, serviceUnavailable, type UserInfo } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import {
  type ApiRequest,
  type ApiResponse,
  type Middleware,
  type Next,
  namesNoResource,
  type RefusedPart,
  type RequestedPart,
  type RequestInfo,
  type SeveralRequest,
  type SharedAnnotations,
  sharedAnnotations,
} from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates } from "@orch/server-config";

export interface AuthorizationStepDeps {
  readonly authorizer: Authorizer;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly vocabulary: Vocabulary;
  /** False during the start, while the granted roles are unknown: no request is refused then for lack of a role. */
  rolesInForce(): boolean;
  readonly gates: FeatureGates;
}

const OWN_ONLY: Decision = {
  kind: "allow",
  reason: "the list contains only namespaces in which the user has any permission",
};

export function authorization(deps: AuthorizationStepDeps): Middleware {
  const { authorizer } = deps;
  const withSelectors = deps.gates.AuthorizeWithSelectors;
  const seconds = deps.metrics
    .histogram("apiserver_request_filter_duration_seconds")
    .labels({ filter: "authorization" });
  const notesOf = decisionAnnotations(deps.vocabulary);

  const measured = measuredBy(deps.metrics);

  /** @returns whether the request continues */
  function decided(request: ApiRequest, response: ApiResponse, attributes: Attributes, decision: Decision): boolean {
    const { context } = request;
    if (context.audit !== undefined) context.annotateAll(notesOf(decision));
    if (decision.kind === "allow") return true;
    if (decision.kind === "noOpinion" && !deps.rolesInForce()) throw serviceUnavailable("server is starting", 1);
    if (decision.error === undefined) throw forbiddenRequest(attributes, decision.reason);
    deps.logger.error("a request could not be authorized", {
      requestId: context.id,
      path: context.info.path,
      error: decision.error,
    });
    answerText(response, 500, sanitised(`Internal Server Error: ${JSON.stringify(request.url)}: ${decision.error}\n`));
    return false;
  }

  /**
   * Allows every authenticated user to list the namespaces in which they have access: the answer contains nothing else.
   */
  function forAll({ context }: ApiRequest, decision: Decision): Decision {
    const { info, user } = context;
    const ownOnly = info.kind === "collection" && info.accessibleOnly;
    return ownOnly && decision.kind === "noOpinion" && user.groups.includes(AUTHENTICATED_GROUP) ? OWN_ONLY : decision;
  }

  /** Restricts explained admission, whose answer shows plugins, webhooks and policies. */
  function pass(request: ApiRequest, next: Next): void {
    const { info } = request.context;
    if (!("explains" in info) || !info.explains) {
      next();
      return;
    }
    Promise.resolve()
      .then(() => requireAllowed(authorizer, request, "explain"))
      .then(() => next(), next);
  }

  /** @returns the first action that is not allowed; undefined when all are */
  async function refusalFor(actions: readonly Attributes[]): Promise<Refusal | undefined> {
    for (const attributes of actions) {
      const startedMs = performance.now();
      const given = authorizer.authorize(attributes);
      const decision = given instanceof Promise ? await given : given;
      const took = (performance.now() - startedMs) / 1000;
      seconds.observe(took);
      measured(decision, took);
      if (decision.kind !== "allow") return { attributes, decision };
    }
    return undefined;
  }

  /** Decides about each part of a request for several resources. @returns whether the request continues */
  async function partsDecided(request: ApiRequest, response: ApiResponse, info: SeveralRequest): Promise<boolean> {
    const { context } = request;
    const parts: RequestedPart[] = [];
    const refused: RefusedPart[] = [...info.refused];
    let first: Refusal | undefined;
    for (const part of info.parts) {
      const refusal = await refusalFor(actionsOn(part, context.user, withSelectors));
      if (refusal === undefined) parts.push(part);
      else {
        first ??= refusal;
        refused.push({ name: part.name, why: refusalOf(refusal.attributes, refusal.decision) });
        if (!info.isPartial) break;
      }
      if (context.end.aborted) return false;
      if ((parts.length + refused.length) % PARTS_PER_TURN === 0) await nextTurn();
    }
    if (first !== undefined && (!info.isPartial || parts.length === 0))
      return decided(request, response, first.attributes, first.decision);
    context.info = { ...info, parts, refused };
    if (context.audit !== undefined) context.annotateAll(notesOf(EACH_ALLOWED));
    return true;
  }

  return (request, response, next) => {
    const { info } = request.context;
    if (info.kind === "several") {
      partsDecided(request, response, info).then((goesOn) => goesOn && next(), next);
      return;
    }
    const attributes = attributesOf(request, withSelectors);
    const span = request.context.span?.child("authorization");
    const startedMs = performance.now();
    const decision = authorizer.authorize(attributes);
    if (!(decision instanceof Promise)) {
      const took = (performance.now() - startedMs) / 1000;
      seconds.observe(took);
      measured(decision, took);
      span?.end(decision.error);
      if (decided(request, response, attributes, forAll(request, decision))) pass(request, next);
      return;
    }
    decision
      .then((late) => {
        measured(late, (performance.now() - startedMs) / 1000);
        span?.end(late.error);
        return decided(request, response, attributes, forAll(request, late));
      })
      .then((goesOn) => goesOn && pass(request, next), next);
  };
}

/** Audit annotations of decisions. Most decisions share few reasons, and these are cached. */
function decisionAnnotations({ auditAnnotations }: Vocabulary): (decision: Decision) => SharedAnnotations {
  const { authorizationDecision, authorizationReason } = auditAnnotations;
  const allowed = new Map<string, SharedAnnotations>();
  const refused = new Map<string, SharedAnnotations>();
  return ({ kind, reason }) => {
    const known = kind === "allow" ? allowed : refused;
    let notes = known.get(reason);
    if (notes === undefined) {
      const decision = kind === "allow" ? "allow" : "forbid";
      notes = sharedAnnotations({ [authorizationDecision]: decision, [authorizationReason]: reason });
      if (known.size >= REASONS_MAX) known.clear();
      if (reason.length <= REASON_LENGTH_MAX) known.set(reason, notes);
    }
    return notes;
  };
}

const REASONS_MAX = 1000;
const REASON_LENGTH_MAX = 500;

type Outcome = "allowed" | "denied" | "no-opinion" | "error";

function measuredBy(metrics: ServerMetrics): (decision: Decision, seconds: number) => void {
  const series = (result: Outcome) => ({
    attempts: metrics.counter("authorization_attempts_total").labels({ result }),
    seconds: metrics.histogram("authorization_duration_seconds").labels({ result }),
  });
  const by = {
    allowed: series("allowed"),
    denied: series("denied"),
    "no-opinion": series("no-opinion"),
    error: series("error"),
  };
  return (decision, seconds) => {
    const of = by[outcomeOf(decision)];
    of.attempts.inc();
    of.seconds.observe(seconds);
  };
}

function outcomeOf({ kind, error }: Decision): Outcome {
  if (kind === "allow") return "allowed";
  if (error !== undefined) return "error";
  return kind === "deny" ? "denied" : "no-opinion";
}

/**
 * Requires permission for another verb than that of the request.
 * @param other attributes that differ too
 * @throws StatusError Forbidden (403)
 */
export function requireAllowed(
  authorizer: Pick<Authorizer, "authorize">,
  request: ApiRequest,
  verb: string,
  other: { readonly subresource?: string; readonly name?: string } = {},
): void | Promise<void> {
  const attributes = { ...attributesOf(request), verb, ...other };
  const decision = authorizer.authorize(attributes);
  if (decision instanceof Promise) return decision.then((late) => settle(attributes, late));
  settle(attributes, decision);
}

function settle(attributes: Attributes, decision: Decision): void {
  if (decision.kind !== "allow") throw refusalOf(attributes, decision);
}

const refusalOf = (attributes: Attributes, { reason, error }: Decision): StatusError =>
  error === undefined ? forbiddenRequest(attributes, reason) : internalError(error);

interface Refusal {
  readonly attributes: Attributes;
  readonly decision: Decision;
}

/** Parts of a request that are decided about in one turn of the event loop. */
const PARTS_PER_TURN = 32;

const EACH_ALLOWED: Decision = { kind: "allow", reason: "each of the requested resources is allowed" };

/** Returns the attributes of all that the request does: one for a request for one resource. */
export function actionsOf(request: ApiRequest, withSelectors: boolean): readonly Attributes[] {
  const { info, user } = request.context;
  return info.kind === "several"
    ? info.parts.flatMap((part) => actionsOn(part, user, withSelectors))
    : [attributesOf(request, withSelectors)];
}

/** A watch of several resources shows their present objects too. */
const actionsOn = ({ info }: RequestedPart, user: UserInfo, withSelectors: boolean): readonly Attributes[] =>
  (info.verb === "watch" ? ["list", "watch"] : [info.verb]).map((verb) => ({
    ...attributesFor(info, user, withSelectors),
    verb,
  }));

/** @param withSelectors whether authorizers receive selectors */
function attributesOf(request: ApiRequest, withSelectors = false): Attributes {
  const { info, user } = request.context;
  return attributesFor(info, user, withSelectors);
}

function attributesFor(info: RequestInfo, user: UserInfo, withSelectors: boolean): Attributes {
  if (namesNoResource(info)) return { kind: "nonResource", user, verb: info.verb, path: info.path };
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
    selectors: withSelectors ? selectorsOf(info) : undefined,
  };
}

type ResourceInfo = Extract<RequestInfo, { readonly resource: string }>;

const SELECTING: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/**
 * A request with the deprecated verb `watch` in its path is authorized without selectors: such a watch of one object
 * does not apply them.
 */
function selectorsOf({ verb, query, hasVerbInPath }: ResourceInfo): (() => RequestedSelectors) | undefined {
  if (query === undefined || hasVerbInPath || !SELECTING.has(verb)) return undefined;
  const fields = query.get("fieldSelector") ?? "";
  const labels = query.get("labelSelector") ?? "";
  return fields === "" && labels === "" ? undefined : () => requestedSelectors({ fields, labels });
}
