// The impersonated user, and the permissions that the requesting user needs for each part of the identity.
// Source: Kubernetes documentation, "Authenticating", "User impersonation".
import type { UserInfo } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { ResourceAttributes } from "../authorization/authorizer";
import type { Impersonation } from "./impersonation";
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED_GROUP,
} from "./well-known-identities";

/**
 * Yields the required permissions; all of them must be allowed.
 * @param user the requesting user
 */
export function* impersonationChecks(
  user: UserInfo,
  { name, uid, groups, extra }: Impersonation,
  vocabulary: Vocabulary,
): Generator<ResourceAttributes> {
  const core = { kind: "resource", user, verb: "impersonate", apiGroup: "", apiVersion: "", subresource: "" } as const;
  const ofIdentity = { ...core, apiGroup: vocabulary.groups.authentication, apiVersion: "v1", namespace: "" } as const;
  const account = serviceAccountOf(name);
  yield account === undefined
    ? { ...core, resource: "users", namespace: "", name }
    : { ...core, resource: "serviceaccounts", ...account };
  for (const group of groups) yield { ...core, resource: "groups", namespace: "", name: group };
  for (const [key, values] of extra) {
    for (const value of new Set(values)) {
      yield { ...ofIdentity, resource: "userextras", subresource: key, name: value };
    }
  }
  if (uid !== "") yield { ...ofIdentity, resource: "uids", name: uid };
}

export function impersonatedUser({ name, uid, groups, extra }: Impersonation): UserInfo {
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: allGroups(name, groups),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/**
 * Returns the groups of the impersonated user: the requested ones, or those of the service account if none are
 * requested, and the group of authenticated or unauthenticated users.
 */
function allGroups(name: string, asked: readonly string[]): readonly string[] {
  if (name === ANONYMOUS_USER) return withGroup(asked, UNAUTHENTICATED_GROUP);
  const account = asked.length === 0 ? serviceAccountOf(name) : undefined;
  const groups = account === undefined ? asked : serviceAccountGroups(account.namespace);
  return groups.includes(UNAUTHENTICATED_GROUP) ? groups : withGroup(groups, AUTHENTICATED_GROUP);
}

const withGroup = (groups: readonly string[], group: string): readonly string[] =>
  groups.includes(group) ? groups : [...groups, group];
