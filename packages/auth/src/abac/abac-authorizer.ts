// Attribute-based access control: allows a request that some line of the policy file matches, and has no opinion on
// other requests.
// Source: Kubernetes documentation, "Using ABAC Authorization".
import type { UserInfo } from "@orch/machinery";
import type { Attributes, Authorizer, Decision } from "../authorization/authorizer";
import { ALL_ACCESS } from "../authorization/namespace-access";
import type { NonResourceRule, ResourceRule } from "../authorization/rule-list";
import type { Policy } from "./policy";

const ALLOWED: Decision = { kind: "allow", reason: "" };
const NO_MATCH: Decision = { kind: "noOpinion", reason: "No policy matched." };
const READING: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** @param policies returns the policies in force; called for each decision */
export function abacAuthorizer(policies: () => PolicyIndex): Authorizer {
  return {
    authorize: (attributes) => (policies().allows(attributes) ? ALLOWED : NO_MATCH),
    rulesFor(user, namespace) {
      const resourceRules: ResourceRule[] = [];
      const nonResourceRules: NonResourceRule[] = [];
      for (const policy of policies().of(user)) {
        if (policy.namespace !== "*" && policy.namespace !== namespace) continue;
        const verbs = policy.readonly ? [...READING] : ["*"];
        if (policy.resource !== "")
          resourceRules.push({ verbs, apiGroups: [policy.apiGroup], resources: [policy.resource] });
        if (policy.nonResourcePath !== "") nonResourceRules.push({ verbs, nonResourceURLs: [policy.nonResourcePath] });
      }
      return { resourceRules, nonResourceRules, incomplete: false, problem: "" };
    },
    namespacesOf(user, { isOfCluster }) {
      const names = new Set<string>();
      for (const { resource, apiGroup, namespace } of policies().of(user)) {
        if (resource === "" || namespace === "") continue;
        if (namespace !== "*") names.add(namespace);
        else if (resource === "*" || !isOfCluster(apiGroup, resource)) return ALL_ACCESS;
      }
      return { all: false, names };
    },
  };
}

interface SubjectPolicies {
  readonly all: Policy[];
  /** Policies by the resource that they name, `*` included. */
  readonly byResource: Map<string, Policy[]>;
  readonly ofPaths: Policy[];
}

/** Index of the policy lines by subject, then by resource or path. A file may have tens of thousands of lines. */
export class PolicyIndex {
  private readonly users = new Map<string, SubjectPolicies>();
  private readonly groups = new Map<string, SubjectPolicies>();

  constructor(policies: readonly Policy[]) {
    for (const policy of policies) {
      if (policy.user !== "") add(this.users, policy.user, policy);
      else if (policy.group !== "") add(this.groups, policy.group, policy);
    }
  }

  allows(attributes: Attributes): boolean {
    const { user } = attributes;
    if (allowsSome(this.users.get(user.name), attributes)) return true;
    return user.groups.some((group) => allowsSome(this.groups.get(group), attributes));
  }

  /** Yields the policies whose subject is the user. */
  *of(user: UserInfo): Generator<Policy> {
    for (const policy of this.users.get(user.name)?.all ?? []) if (isOfGroup(policy, user)) yield policy;
    for (const group of new Set(user.groups)) yield* this.groups.get(group)?.all ?? [];
  }
}

function add(to: Map<string, SubjectPolicies>, subject: string, policy: Policy): void {
  const known = to.get(subject) ?? { all: [], byResource: new Map<string, Policy[]>(), ofPaths: [] };
  to.set(subject, known);
  known.all.push(policy);
  if (policy.nonResourcePath !== "") known.ofPaths.push(policy);
  const those = known.byResource.get(policy.resource);
  if (those === undefined) known.byResource.set(policy.resource, [policy]);
  else those.push(policy);
}

function allowsSome(policies: SubjectPolicies | undefined, attributes: Attributes): boolean {
  if (policies === undefined) return false;
  const { user, verb } = attributes;
  const fits = (policy: Policy) => (!policy.readonly || READING.has(verb)) && isOfGroup(policy, user);
  if (attributes.kind === "nonResource") {
    // A policy without a path matches a request whose path is empty.
    const those = attributes.path === "" ? policies.all : policies.ofPaths;
    return those.some((policy) => fits(policy) && isBelow(policy.nonResourcePath, attributes.path));
  }
  const { resource, apiGroup, namespace } = attributes;
  const isPlace = (policy: Policy) =>
    (policy.namespace === "*" || policy.namespace === namespace) &&
    (policy.apiGroup === "*" || policy.apiGroup === apiGroup);
  const { byResource } = policies;
  return [byResource.get(resource), byResource.get("*")].some(
    (those) => those?.some((policy) => isPlace(policy) && fits(policy)) ?? false,
  );
}

/** Returns whether the user is in the policy's group. A policy that names a user and a group requires both. */
const isOfGroup = ({ group }: Policy, user: UserInfo): boolean => group === "" || user.groups.includes(group);

const isBelow = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));
