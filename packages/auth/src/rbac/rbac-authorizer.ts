// Role-based access control: allows what some bound role allows, and has no opinion on the rest.
// Source: access-control, "Authorization objects"; facts, rbac-bootstrap.json "evaluation".
import type { UserInfo } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "../authorizer";
import { type Grant, type GrantIndex, grantsTo, indexGrants, type RoleLookup } from "./grant-index";
import { grantedRules } from "./granted-rules";
import type { RbacView } from "./rbac-view";
import { ruleAllows } from "./rule";

/**
 * Cluster-wide bindings are asked first, then those of the request's namespace. Both are indexed by subject when first needed
 * after a change, a namespace at a time, so that a decision walks only what is granted to this user.
 */
export function rbacAuthorizer(deps: { readonly view: RbacView; readonly vocabulary: Vocabulary }): Authorizer {
  const { view } = deps;
  const roles = roleLookup(view, deps.vocabulary.groups.rbac);
  let indexedVersion = Number.NaN;
  let cluster: GrantIndex | undefined;
  let namespaces = new Map<string, GrantIndex>();

  function namespaceIndex(namespace: string): GrantIndex {
    const known = namespaces.get(namespace);
    if (known !== undefined) return known;
    const index = indexGrants(view.roleBindings(namespace), roles);
    // Nothing is kept for namespaces without bindings: clients may ask for any number of names that do not exist.
    if (index.users.size + index.groups.size > 0) namespaces.set(namespace, index);
    return index;
  }

  /** Asked first: forgets what is outdated, of the namespaces too. */
  function clusterIndex(): GrantIndex {
    if (view.version !== indexedVersion) {
      indexedVersion = view.version;
      cluster = undefined;
      namespaces = new Map();
    }
    cluster ??= indexGrants(view.clusterRoleBindings(), roles);
    return cluster;
  }

  return {
    authorize(attributes) {
      const everywhere = clusterIndex();
      const clusterWide = findAllowing(everywhere, attributes);
      if (clusterWide !== undefined) return clusterWide;
      const namespace = attributes.kind === "resource" ? attributes.namespace : "";
      if (namespace === "") return refusal(attributes.user, everywhere);
      const local = namespaceIndex(namespace);
      return findAllowing(local, attributes) ?? refusal(attributes.user, everywhere, local);
    },
    rulesFor(user, namespace) {
      const everywhere = clusterIndex();
      return grantedRules(user, everywhere, namespace === "" ? undefined : namespaceIndex(namespace));
    },
  };
}

function findAllowing(index: GrantIndex, attributes: Attributes): Decision | undefined {
  const { user } = attributes;
  const own = firstAllowing(index.users.get(user.name), attributes);
  if (own !== undefined) return own;
  for (const group of user.groups) {
    const byGroup = firstAllowing(index.groups.get(group), attributes);
    if (byGroup !== undefined) return byGroup;
  }
  return undefined;
}

function firstAllowing(grants: readonly Grant[] | undefined, attributes: Attributes): Decision | undefined {
  if (grants === undefined) return undefined;
  for (const grant of grants) {
    for (const rule of grant.rules) if (ruleAllows(rule, attributes)) return grant.allowed;
  }
  return undefined;
}

/** Nothing matched; roles of this user's bindings that could not be read are the reason, for they might have. */
function refusal(user: UserInfo, ...indexes: readonly GrantIndex[]): Decision {
  const problems = new Set<string>();
  for (const index of indexes) {
    for (const { problem } of grantsTo(user, index)) if (problem !== undefined) problems.add(problem);
  }
  if (problems.size === 0) return NO_OPINION;
  const list = [...problems];
  return { kind: "noOpinion", reason: `RBAC: ${list.length === 1 ? list[0] : `[${list.join(", ")}]`}` };
}

function roleLookup(view: RbacView, group: string): RoleLookup {
  return {
    resolve({ kind, name }, namespace) {
      switch (kind) {
        case "ClusterRole":
          return view.clusterRole(name) ?? `clusterrole.${group} ${JSON.stringify(name)} not found`;
        case "Role":
          return view.role(namespace, name) ?? `role.${group} ${JSON.stringify(name)} not found`;
        default:
          return `unsupported role reference kind: ${JSON.stringify(kind)}`;
      }
    },
  };
}
