// Rules that bindings grant to one user, as a list of limited size.
import type { UserInfo } from "@orch/machinery";
import type { NonResourceRule, ResourceRule, RuleList } from "../authorization/rule-list";
import type { PolicyRule } from "./policy";
import type { RbacGrants } from "./rbac-grants";

/** Maximum number of values in all rules together; a larger list would take long to encode. */
const VALUES_MAX = 20_000;

/** @param namespace "" for cluster-wide bindings only */
export function grantedRules(user: UserInfo, grants: RbacGrants, namespace: string): RuleList {
  grants.refresh();
  const list = new ListedRules();
  for (const role of grants.rolesOf(user, namespace)) {
    // Paths have no namespace: a binding in a namespace does not grant them.
    const ofPaths = grants.isBoundEverywhere(role, user);
    for (const rule of role.rules ?? []) list.add(rule, ofPaths);
    if (list.isFull) break;
  }
  const problems = [...grants.problemsOf(grants.grantsTo(user), namespace, ""), ...(list.isFull ? [TOO_MANY] : [])];
  return {
    resourceRules: list.resourceRules,
    nonResourceRules: list.nonResourceRules,
    incomplete: list.isFull,
    problem: problems.join("; "),
  };
}

const TOO_MANY = `the rules have more than ${VALUES_MAX} values in total`;

class ListedRules {
  readonly resourceRules: ResourceRule[] = [];
  readonly nonResourceRules: NonResourceRule[] = [];
  private values = 0;

  get isFull(): boolean {
    return this.values > VALUES_MAX;
  }

  add({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule, withPaths: boolean): void {
    if (this.isFull) return;
    this.values += 1;
    for (const list of [verbs, apiGroups, resources, resourceNames, nonResourceURLs]) this.values += list?.length ?? 0;
    if (resources != null && resources.length > 0) {
      const named = resourceNames == null || resourceNames.length === 0 ? {} : { resourceNames };
      this.resourceRules.push({ verbs, apiGroups: apiGroups ?? [], resources, ...named });
    }
    if (withPaths && nonResourceURLs != null && nonResourceURLs.length > 0) {
      this.nonResourceRules.push({ verbs, nonResourceURLs });
    }
  }
}
