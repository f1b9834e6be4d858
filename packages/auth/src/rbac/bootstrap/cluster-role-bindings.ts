// Bindings of the bootstrap cluster roles.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import type { Vocabulary } from "@orch/schema";
import { AGENT_CLIENTS_GROUP } from "../../identity/well-known-identities";
import { type ClusterRoleBindingRow, group, serviceAccount, user } from "./notation";

/** Returns the bindings; each binds the cluster role of its own name. */
export function clusterRoleBindings({
  namespaces,
  objectNames,
  rbacNames,
  users,
}: Vocabulary): ClusterRoleBindingRow[] {
  return [
    { name: "cluster-admin", subjects: [group("system:masters")] },
    { name: "system:basic-user", subjects: [group("system:authenticated")] },
    {
      name: "system:cluster-trust-bundle-discovery",
      when: { since: "1.27", gates: ["ClusterTrustBundle"] },
      subjects: [group("system:serviceaccounts")],
    },
    { name: "system:discovery", subjects: [group("system:authenticated")] },
    { name: rbacNames.controllerManager, subjects: [user(users.controllerManager)] },
    { name: rbacNames.dns, subjects: [serviceAccount(namespaces.system, objectNames.dns)] },
    { name: rbacNames.nodeagentApiAdmin, subjects: [group(AGENT_CLIENTS_GROUP)] },
    { name: rbacNames.scheduler, subjects: [user(users.scheduler)] },
    { name: "system:monitoring", subjects: [group("system:monitoring")] },
    { name: "system:node", subjects: [] },
    { name: "system:node-proxier", subjects: [user(users.proxy)] },
    { name: "system:public-info-viewer", subjects: [group("system:authenticated"), group("system:unauthenticated")] },
    { name: "system:service-account-issuer-discovery", subjects: [group("system:serviceaccounts")] },
    { name: "system:volume-scheduler", subjects: [user(users.scheduler)] },
  ];
}
