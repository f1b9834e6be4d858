// Rules of an aggregating role. Source: Kubernetes documentation, "Using RBAC Authorization", "Aggregated
// ClusterRoles".
import { labelSelectorOfObject, nameOf } from "@orch/machinery";
import type { JsonObject, rbacV1 } from "@orch/schema";

type Rule = rbacV1.PolicyRule;

export const aggregates = ({ aggregationRule }: rbacV1.ClusterRole): boolean =>
  (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/**
 * Returns the rules of all selected roles, selector by selector and by role name, each rule once. The role's own rules
 * are not included.
 */
export function aggregatedRules(role: rbacV1.ClusterRole, all: Iterable<rbacV1.ClusterRole>): readonly Rule[] {
  const own = nameOf(role as JsonObject);
  const others = [...all]
    .map((each) => ({ name: nameOf(each as JsonObject), labels: each.metadata?.labels ?? {}, rules: each.rules ?? [] }))
    .filter(({ name }) => name !== own)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const gathered = new Map<string, Rule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const { matches } = labelSelectorOfObject(selector as JsonObject);
    for (const { labels, rules } of others) {
      if (!matches(labels)) continue;
      for (const rule of rules) {
        const meaning = meaningOf(rule);
        if (!gathered.has(meaning)) gathered.set(meaning, rule);
      }
    }
  }
  return [...gathered.values()];
}

export const sameRules = (one: readonly Rule[], other: readonly Rule[]): boolean =>
  one.length === other.length && one.every((rule, at) => meaningOf(rule) === meaningOf(other[at] as Rule));

/** Returns a text that is equal for equivalent rules: an empty list is the same as an absent one. */
const meaningOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
