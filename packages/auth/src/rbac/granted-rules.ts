// The rules that bindings give to one user, listed.
import type { UserInfo } from "@orch/machinery";
import { joinedRules, type RuleList } from "../rule-list";
import { type Grant, grantsTo } from "./grant-index";
import type { PolicyRule } from "./policy";
import type { RbacGrants } from "./rbac-grants";

/** @param namespace "" for those of the whole cluster alone */
export function grantedRules(user: UserInfo, grants: RbacGrants, namespace: string): RuleList {
  const everywhere = listed(grantsTo(user, grants.everywhere()), grants);
  if (namespace === "") return everywhere;
  // Paths lie in no namespace: whatever its bindings say of them is without effect.
  const local = { ...listed(grantsTo(user, grants.within(namespace)), grants), nonResourceRules: [] };
  return joinedRules([everywhere, local]);
}

function listed(of: readonly Grant[], grants: RbacGrants): RuleList {
  const rules = of.flatMap((grant) => grant.rules);
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
    problem: grants.problemsOf(of, "").join("; "),
  };
}
