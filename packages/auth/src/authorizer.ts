// May they: one way of deciding, and the chain of those that are switched on.
// Source: access-control, "Authorization"; facts, webhook-authz.md "Chain".
import type { UserInfo } from "@orch/machinery";
import { joinedAccess, type NamespaceAccess, NO_ACCESS, type ResourceScopes } from "./namespace-access";
import { joinedRules, type RuleList, UNLISTABLE } from "./rule-list";

/** What is asked for. Two shapes: something in the API, or a path beside it. */
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
  /** "" at the cluster scope, and for all namespaces. */
  readonly namespace: string;
  /** "" when the request names no single object. */
  readonly name: string;
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
  /** May be empty. That of a refusal is shown to the client. */
  readonly reason: string;
  /** What kept an authorizer from saying more. What is not allowed is then a failure of the server rather than a refusal. */
  readonly error?: string;
}

export interface Authorizer {
  /** Answers at once where it can, so that most requests wait for nothing. */
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /** What it allows a user in a namespace, as far as it can be listed. Absent: it cannot. */
  rulesFor?(user: UserInfo, namespace: string): RuleList;
  /** The namespaces in which it allows a user anything. Absent: it cannot tell. */
  namespacesOf?(user: UserInfo, scopes: ResourceScopes): NamespaceAccess;
  /** More about a decision than its reason says: for reviews. Absent, or undefined: there is nothing to add. */
  explain?(attributes: Attributes, decision: Decision, scope: ExplanationScope): string | undefined;
}

/** Whether an explanation may speak of all that is granted to whoever is asked about, or of what the request's namespace itself grants. */
export type ExplanationScope = "everywhere" | "namespace";

export const NO_OPINION: Decision = { kind: "noOpinion", reason: "" };

/** The first that allows or denies decides. If none does, there is no opinion, with all their reasons, a line each, and all errors. */
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

/** What a review says of a decision: its reason, and why. */
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

/** What an authorizer allows a user in a namespace; marked as incomplete where it cannot say. */
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

/** Of two without opinion. */
function joined(one: Decision, other: Decision): Decision {
  if (other.reason === "" && other.error === undefined) return one;
  if (one.reason === "" && one.error === undefined) return other;
  const reason =
    one.reason === "" || other.reason === "" ? one.reason + other.reason : `${one.reason}\n${other.reason}`;
  const errors = [one.error, other.error].filter((error) => error !== undefined);
  return errors.length === 0 ? { kind: "noOpinion", reason } : { kind: "noOpinion", reason, error: errors.join("; ") };
}
