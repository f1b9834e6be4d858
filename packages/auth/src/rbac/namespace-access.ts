// Namespaces in which a user may do anything: those of the user's role bindings, or all when a cluster-wide grant
// applies to namespaced resources.
import type { UserInfo } from "@orch/machinery";
import { type NamespaceAccess, NO_NAMESPACES, type ResourceScopes } from "../authorization/namespace-access";
import { speaksOfResources } from "./access-changes";
import type { PolicyRule } from "./policy";
import type { RbacGrants } from "./rbac-grants";

export function grantedNamespaces(user: UserInfo, grants: RbacGrants, scopes: ResourceScopes): NamespaceAccess {
  grants.refresh();
  const names = new Set<string>();
  for (const of of grants.grantsTo(user)) {
    for (const [namespace, roles] of of) {
      if (namespace !== "") {
        if (!names.has(namespace) && anyOf(roles.keys(), ({ rules }) => speaksOfResources(rules))) names.add(namespace);
        continue;
      }
      for (const { rules } of roles.keys()) {
        for (const rule of rules ?? []) if (reachesAll(rule, scopes, names)) return { all: true, names: NO_NAMESPACES };
      }
    }
  }
  return { all: false, names };
}

/**
 * Returns whether a cluster-wide rule allows something in every namespace.
 * @param names receives the namespaces that the rule names
 */
function reachesAll(rule: PolicyRule, scopes: ResourceScopes, names: Set<string>): boolean {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  if (!verbs?.length || !apiGroups?.length || !resources?.length) return false;
  for (const resource of resources) {
    const [plural = ""] = resource.split("/", 1);
    for (const group of apiGroups) {
      const isAny = plural === "*" || group === "*";
      const isNamespaces = plural === "namespaces" && (group === "" || group === "*");
      if (isNamespaces && resourceNames?.length) {
        for (const name of resourceNames) names.add(name);
      } else if (isNamespaces || isAny || !scopes.isOfCluster(group, plural)) return true;
    }
  }
  return false;
}

function anyOf<Item>(items: Iterable<Item>, holds: (item: Item) => boolean): boolean {
  for (const item of items) if (holds(item)) return true;
  return false;
}
