// Node identity of a user. Source: pkg/auth/nodeidentifier/default.go.
import type { UserInfo } from "@orch/machinery";

export const NODES_GROUP = "system:nodes";
export const NODE_USER_PREFIX = "system:node:";

/**
 * Returns the node of a kubelet's user.
 * @returns the name of the node, "" when the user name contains none; undefined for any other user
 */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP)
    ? name.slice(NODE_USER_PREFIX.length)
    : undefined;
}
