// Authorization to use a policy for a pod: the pod's service account or the author of the request must have it. Source:
// plugin/pkg/admission/security/podsecuritypolicy/admission.go.
import { type Authorizer, serviceAccountGroups, serviceAccountUserName } from "@orch/auth";
import type { AdmissionRequest, UserInfo } from "@orch/machinery";

/** API groups of the check. The second is the former group of policies. */
const GROUPS = ["policy", "extensions"];

export async function mayUse(
  authorizer: Pick<Authorizer, "authorize">,
  { user, namespace }: AdmissionRequest,
  account: string | undefined,
  policy: string,
): Promise<boolean> {
  const users: UserInfo[] = [];
  if (account)
    users.push({ name: serviceAccountUserName(namespace, account), groups: serviceAccountGroups(namespace) });
  for (const each of [...users, user]) {
    for (const apiGroup of GROUPS) {
      const { kind } = await authorizer.authorize({
        ...{ kind: "resource", user: each, verb: "use", apiGroup, apiVersion: "*" },
        ...{ resource: "podsecuritypolicies", subresource: "", namespace, name: policy },
      });
      if (kind === "allow") return true;
    }
  }
  return false;
}
