// Authorization: the interface of one authorizer, and the chain of all enabled authorizers.
// Source: Kubernetes documentation, "Authorization".
import type { UserInfo } from "@orch/machinery";
import { joinedAccess, type NamespaceAccess, NO_ACCESS, type ResourceScopes } from "./namespace-access";
import type { RequestedSelectors } from "./requested-selectors";
import { joinedRules, type RuleList, UNLISTABLE } from "./rule-list";

/** Attributes of the requested action: on an API resource, or on a non-resource path. */
export type Attributes = ResourceAttributes | NonResourceAttributes;

export interface ResourceAttributes {
  readonly kind: "resource";
  readonly user: UserInfo;
  readonly verb: string;
  /** "" is the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** "" for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  /** "" when the request names no single object. */
  readonly name: string;
  /** Returns the selectors of the request. A function, because most authorizers do not ask. */
  readonly selectors?: (() => RequestedSelectors) | undefined;
}

export interface NonResourceAttributes {
  readonly kind: "nonResource";
  readonly user: UserInfo;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly kind: "allow" | "deny" | "noOpinion";
  /** Reason; may be empty. The client sees the reason of a refusal. */
  readonly reason: string;
  /**
   * Failure that kept an authorizer from a decision. A request that no authorizer allows is then answered with a server
   * error instead of a refusal.
   */
  readonly error?: string;
}

export interface Authorizer {
  /** Returns the decision, or a promise of it when the authorizer must wait for something. */
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /**
   * Returns the rules of a user in a namespace, as far as they can be listed. Absent when the authorizer cannot list
   * rules.
   */
  rulesFor?(user: UserInfo, namespace: string): RuleList;
  /** Returns the namespaces in which the authorizer allows the user anything. Absent when it cannot tell. */
  namespacesOf?(user: UserInfo, scopes: ResourceScopes): NamespaceAccess;
  /**
   * Returns an addition to the reason of a decision, for access reviews. Absent, or undefined: there is nothing to add.
   */
  explain?(attributes: Attributes, decision: Decision, scope: ExplanationScope): string | undefined;
}

/** Scope of an explanation: all grants of the reviewed user, or only those made in the namespace of the request. */
export type ExplanationScope = "everywhere" | "namespace";

export const NO_OPINION: Decision = { kind: "noOpinion", reason: "" };

/**
 * Combines authorizers. The first one that allows or denies decides. If none does, the decision is no opinion with all
 * reasons, one per line, and all errors.
 */
export function chainOf(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (attributes) => decideFrom(0, NO_OPINION, authorizers, attributes),
    rulesFor: (user, namespace) => joinedRules(authorizers.map((each) => rulesFor(each, user, namespace))),
    namespacesOf: (user, scopes) => joinedAccess(authorizers.map((each) => namespacesOf(each, user, scopes))),
    explain(attributes, decision, scope) {
      const texts = authorizers.flatMap((each) => each.explain?.(attributes, decision, scope) ?? []);
      return texts.length === 0 ? undefined : texts.join("; ");
    },
  };
}

/** Returns the text of an access review: the reason of the decision and the explanation. */
export function explained(
  authorizer: Authorizer,
  attributes: Attributes,
  decision: Decision,
  scope: ExplanationScope,
): string {
  const more = authorizer.explain?.(attributes, decision, scope);
  const { kind, reason } = decision;
  if (more === undefined || reason === "") return more ?? reason;
  return `${reason}${kind === "allow" ? ", " : "; "}${more}`;
}

export function namespacesOf(authorizer: Authorizer, user: UserInfo, scopes: ResourceScopes): NamespaceAccess {
  return authorizer.namespacesOf?.(user, scopes) ?? NO_ACCESS;
}

/** Returns the rules of a user in a namespace; marked as incomplete when the authorizer cannot list rules. */
export function rulesFor(authorizer: Authorizer, user: UserInfo, namespace: string): RuleList {
  return authorizer.rulesFor?.(user, namespace) ?? UNLISTABLE;
}

function decideFrom(
  start: number,
  soFar: Decision,
  authorizers: readonly Authorizer[],
  attributes: Attributes,
): Decision | Promise<Decision> {
  let joint = soFar;
  for (let index = start; index < authorizers.length; index++) {
    const decision = (authorizers[index] as Authorizer).authorize(attributes);
    if (decision instanceof Promise) {
      return decision.then((late) =>
        late.kind === "noOpinion" ? decideFrom(index + 1, joined(joint, late), authorizers, attributes) : late,
      );
    }
    if (decision.kind !== "noOpinion") return decision;
    joint = joined(joint, decision);
  }
  return joint;
}

/** Joins two decisions without opinion. */
function joined(one: Decision, other: Decision): Decision {
  if (other.reason === "" && other.error === undefined) return one;
  if (one.reason === "" && one.error === undefined) return other;
  const reason =
    one.reason === "" || other.reason === "" ? one.reason + other.reason : `${one.reason}\n${other.reason}`;
  const errors = [one.error, other.error].filter((error) => error !== undefined);
  return errors.length === 0 ? { kind: "noOpinion", reason } : { kind: "noOpinion", reason, error: errors.join("; ") };
}
