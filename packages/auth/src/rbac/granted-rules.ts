// The rules that bindings give to one user, listed.
import type { UserInfo } from "@orch/machinery";
import { joinedRules, type RuleList } from "../rule-list";
import { type GrantIndex, grantsTo } from "./grant-index";
import type { PolicyRule } from "./policy";

/** @param local of the namespace's bindings; undefined without a namespace */
export function grantedRules(user: UserInfo, cluster: GrantIndex, local: GrantIndex | undefined): RuleList {
  const everywhere = listed(user, cluster);
  if (local === undefined) return everywhere;
  // Paths lie in no namespace: whatever its bindings say of them is without effect.
  return joinedRules([everywhere, { ...listed(user, local), nonResourceRules: [] }]);
}

function listed(user: UserInfo, index: GrantIndex): RuleList {
  const grants = grantsTo(user, index);
  const rules = grants.flatMap((grant) => grant.rules);
  const problems = new Set(grants.flatMap(({ problem }) => problem ?? []));
  return {
    resourceRules: rules.flatMap(({ verbs, apiGroups, resources, resourceNames }: PolicyRule) =>
      resources == null || resources.length === 0
        ? []
        : {
            verbs,
            apiGroups: apiGroups ?? [],
            resources,
            ...(resourceNames == null || resourceNames.length === 0 ? {} : { resourceNames }),
          },
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs == null || nonResourceURLs.length === 0 ? [] : { verbs, nonResourceURLs },
    ),
    incomplete: false,
    problem: [...problems].join("; "),
  };
}
