// Role-based access control: allows what a bound role allows, and has no opinion on other requests.
// Source: Kubernetes documentation, "Using RBAC Authorization".
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "../authorization/authorizer";
import { explain } from "./explanation";
import { grantedRules } from "./granted-rules";
import { grantedNamespaces } from "./namespace-access";
import type { RbacGrants } from "./rbac-grants";
import type { GrantsOfSubject } from "./subject-grants";

export function rbacAuthorizer(grants: RbacGrants): Authorizer {
  return {
    authorize(attributes) {
      grants.refresh();
      const own = grants.grantsTo(attributes.user);
      return grants.findAllowing(attributes, own)?.grant.allowed ?? refusal(attributes, own, grants);
    },
    rulesFor: (user, namespace) => grantedRules(user, grants, namespace),
    explain: (attributes, decision, scope) => explain(attributes, decision, grants, scope),
    namespacesOf: (user, scopes) => grantedNamespaces(user, grants, scopes),
  };
}

/**
 * Returns the decision when nothing matched. Roles of the user's bindings that do not exist are the reason, since they
 * might have matched.
 */
function refusal(asked: Attributes, own: readonly GrantsOfSubject[], grants: RbacGrants): Decision {
  const list = grants.problemsOf(own, asked.kind === "resource" ? asked.namespace : "", "");
  if (list.length === 0) return NO_OPINION;
  return { kind: "noOpinion", reason: `RBAC: ${list.length === 1 ? list[0] : `[${list.join(", ")}]`}` };
}
