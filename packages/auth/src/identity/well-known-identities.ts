// Users and groups with a meaning to the server. Source: Kubernetes documentation, "Authenticating".
import { label1123Errors, subdomainErrors, type UserInfo } from "@orch/machinery";

export const ANONYMOUS_USER = "system:anonymous";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
/** Group whose members may do everything, in all authorization modes. */
export const PRIVILEGED_GROUP = "system:masters";

/** Group of the API server as a client of kubelets. Its members may call kubelets and do nothing else. */
export const AGENT_CLIENTS_GROUP = "system:agent-clients";

/** Returns the user name of a service account. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

const SERVICE_ACCOUNT = "system:serviceaccount:";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the service account of a user name; undefined for a name that no service account can have. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = "", name = "", ...more] = userName.slice(SERVICE_ACCOUNT.length).split(":");
  const isOne = more.length === 0 && label1123Errors(namespace).length === 0 && subdomainErrors(name).length === 0;
  return isOne ? { namespace, name } : undefined;
}

/** Returns the groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];

export const NODES_GROUP = "system:nodes";
const NODE_USER_PREFIX = "system:node:";

/** Returns the node of a user name, regardless of groups; undefined for a name that no node can have. */
export function nodeNameOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_USER_PREFIX)) return undefined;
  const node = userName.slice(NODE_USER_PREFIX.length);
  return subdomainErrors(node).length === 0 ? node : undefined;
}

/**
 * Returns the node of a kubelet's user. Source: pkg/auth/nodeidentifier/default.go.
 * @returns the name of the node, "" when the user name contains none; undefined for any other user
 */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP)
    ? name.slice(NODE_USER_PREFIX.length)
    : undefined;
}
