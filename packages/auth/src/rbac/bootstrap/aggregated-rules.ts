// Aggregated cluster roles, whose rules are those of other roles selected by label. Source: Kubernetes documentation,
// "Using RBAC Authorization", "Aggregated ClusterRoles".
import type { PolicyRule } from "../policy";
import type { ClusterRoleRow } from "./notation";

/**
 * Returns the rules of a row: its own or, when it aggregates, those of all rows that it selects, which may aggregate in
 * turn. Each rule occurs once, in the order of the roles' names.
 */
export function aggregatedRules(row: ClusterRoleRow, all: readonly ClusterRoleRow[]): PolicyRule[] {
  if (row.aggregates === undefined) return [...row.rules];
  const selected = all
    .filter((other) => other !== row && other.aggregatedInto === row.aggregates)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules = selected.flatMap((other) => aggregatedRules(other, all));
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
