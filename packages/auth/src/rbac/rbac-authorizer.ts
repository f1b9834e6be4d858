// Role-based access control: allows what some bound role allows, and has no opinion on the rest.
// Source: access-control, "Authorization objects"; facts, rbac-bootstrap.json "evaluation".
import type { UserInfo } from "@orch/machinery";
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "../authorizer";
import { type Grant, type GrantIndex, grantsTo } from "./grant-index";
import { grantedRules } from "./granted-rules";
import type { RbacGrants } from "./rbac-grants";
import { ruleAllows } from "./rule";

/** Cluster-wide bindings are asked first, then those of the request's namespace. */
export function rbacAuthorizer(grants: RbacGrants): Authorizer {
  return {
    authorize(attributes) {
      const everywhere = grants.everywhere();
      const clusterWide = findAllowing(everywhere, attributes);
      if (clusterWide !== undefined) return clusterWide;
      const namespace = attributes.kind === "resource" ? attributes.namespace : "";
      if (namespace === "") return refusal(attributes.user, grants, [everywhere]);
      const local = grants.within(namespace);
      return findAllowing(local, attributes) ?? refusal(attributes.user, grants, [everywhere, local]);
    },
    rulesFor: (user, namespace) => grantedRules(user, grants, namespace),
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
function refusal(user: UserInfo, grants: RbacGrants, indexes: readonly GrantIndex[]): Decision {
  const list = grants.problemsOf(
    indexes.flatMap((index) => grantsTo(user, index)),
    "",
  );
  if (list.length === 0) return NO_OPINION;
  return { kind: "noOpinion", reason: `RBAC: ${list.length === 1 ? list[0] : `[${list.join(", ")}]`}` };
}
