// Users and groups that mean something to the server itself. Source: access-control, "Authentication".
export const ANONYMOUS_USER = "system:anonymous";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
/** Its members may do everything, whatever the authorization modes say. */
export const PRIVILEGED_GROUP = "system:masters";

/** The user name of a service account. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
