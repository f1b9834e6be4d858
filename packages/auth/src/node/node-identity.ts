// Whether a user is a node agent, and of which node. Source: facts, node-authorizer.md "Node identity".
import type { UserInfo } from "@orch/machinery";

export const NODES_GROUP = "system:nodes";
export const NODE_USER_PREFIX = "system:node:";

/** @returns the node's name, which is "" for an agent that does not say; undefined for anybody else */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP)
    ? name.slice(NODE_USER_PREFIX.length)
    : undefined;
}
