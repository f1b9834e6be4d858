// Whether a policy may be used for a pod: by the account that the pod runs as, else by whoever writes it.
// Source: facts, admission/podsecurity.md "PodSecurityPolicy", "allowed use".
import { type Authorizer, serviceAccountGroups, serviceAccountUserName } from "@orch/auth";
import type { AdmissionRequest, UserInfo } from "@orch/machinery";

/** The second is where policies were before they had a group of their own. */
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
