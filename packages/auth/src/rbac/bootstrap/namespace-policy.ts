// Bootstrap roles and bindings in the namespaces of the control plane.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go.
import { existsIn, type Vocabulary } from "@orch/schema";
import { on, READ, type RoleBindingRow, type RoleRow, serviceAccount, since, until, user } from "./notation";

/** Returns the roles for the configuration that the control plane keeps in its own namespaces. */
export function namespaceRoles({ groups, namespaces, objectNames, rbacNames }: Vocabulary): RoleRow[] {
  const recordEvents = on(["", groups.events], "events", "create patch update");
  const electsLeader = (lock: string) => [
    until("1.34", on("", "configmaps", "watch"), on("", "configmaps", "get update", [lock])),
    since("1.31", on(groups.coordination, "leasecandidates leases", "create get list update watch")),
  ];
  return [
    {
      namespace: namespaces.public,
      name: "system:controller:bootstrap-signer",
      rules: [on("", "configmaps", READ), on("", "configmaps", "update", ["cluster-info"]), recordEvents],
    },
    {
      namespace: namespaces.system,
      name: "extension-apiserver-authentication-reader",
      rules: [on("", "configmaps", READ, ["extension-apiserver-authentication"])],
    },
    {
      namespace: namespaces.system,
      name: rbacNames.leaderLockingOrchControllerManager,
      rules: electsLeader(objectNames.controllerManager),
    },
    {
      namespace: namespaces.system,
      name: rbacNames.leaderLockingOrchScheduler,
      rules: electsLeader(objectNames.scheduler),
    },
    { namespace: namespaces.system, name: "system:controller:bootstrap-signer", rules: [on("", "secrets", READ)] },
    {
      namespace: namespaces.system,
      name: "system:controller:cloud-provider",
      rules: [on("", "configmaps", "create get list watch")],
    },
    {
      namespace: namespaces.system,
      name: "system:controller:token-cleaner",
      rules: [on("", "secrets", "delete get list watch"), recordEvents],
    },
  ];
}

/** Releases whose API server may elect the leader of a component itself, with an account of its own. */
const COORDINATED_ELECTION = { since: "1.31" };

/** Returns the bindings of those roles. */
export function namespaceRoleBindings(
  { namespaces, objectNames, rbacNames, users }: Vocabulary,
  release: string,
): RoleBindingRow[] {
  const electionAccounts = existsIn(COORDINATED_ELECTION, release)
    ? [serviceAccount(namespaces.system, "leader-election-controller")]
    : [];
  return [
    {
      namespace: namespaces.public,
      name: "system:controller:bootstrap-signer",
      role: "system:controller:bootstrap-signer",
      subjects: [serviceAccount(namespaces.system, "bootstrap-signer")],
    },
    {
      namespace: namespaces.system,
      name: "system::extension-apiserver-authentication-reader",
      role: "extension-apiserver-authentication-reader",
      subjects: [user(users.controllerManager), user(users.scheduler)],
    },
    {
      namespace: namespaces.system,
      name: rbacNames.leaderLockingOrchControllerManager,
      role: rbacNames.leaderLockingOrchControllerManager,
      subjects: [
        user(users.controllerManager),
        serviceAccount(namespaces.system, objectNames.controllerManager),
        ...electionAccounts,
      ],
    },
    {
      namespace: namespaces.system,
      name: rbacNames.leaderLockingOrchScheduler,
      role: rbacNames.leaderLockingOrchScheduler,
      subjects: [user(users.scheduler), serviceAccount(namespaces.system, objectNames.scheduler)],
    },
    {
      namespace: namespaces.system,
      name: "system:controller:bootstrap-signer",
      role: "system:controller:bootstrap-signer",
      subjects: [serviceAccount(namespaces.system, "bootstrap-signer")],
    },
    {
      namespace: namespaces.system,
      name: "system:controller:cloud-provider",
      role: "system:controller:cloud-provider",
      subjects: [serviceAccount(namespaces.system, "cloud-provider")],
    },
    {
      namespace: namespaces.system,
      name: "system:controller:token-cleaner",
      role: "system:controller:token-cleaner",
      subjects: [serviceAccount(namespaces.system, "token-cleaner")],
    },
  ];
}
