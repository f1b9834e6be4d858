// Users and groups that mean something to the server itself. Source: access-control, "Authentication".
import { label1123Errors, subdomainErrors } from "@orch/machinery";

export const ANONYMOUS_USER = "system:anonymous";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
/** Its members may do everything, whatever the authorization modes say. */
export const PRIVILEGED_GROUP = "system:masters";

/** Whom API servers are known as to node agents. Its members may call agents, and do nothing else. */
export const AGENT_CLIENTS_GROUP = "system:agent-clients";

/** The user name of a service account. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

const SERVICE_ACCOUNT = "system:serviceaccount:";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Whose user name it is; undefined for one that no service account can have. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = "", name = "", ...more] = userName.slice(SERVICE_ACCOUNT.length).split(":");
  const isOne = more.length === 0 && label1123Errors(namespace).length === 0 && subdomainErrors(name).length === 0;
  return isOne ? { namespace, name } : undefined;
}

/** The groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];
