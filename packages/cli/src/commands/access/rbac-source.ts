// The roles and bindings of a server, which the user of the command may list.
import type { RbacResource, RbacSource } from "@orch/access";
import { builtInTypes, type Client, type ResourceClient } from "@orch/client";
import { isCode } from "@orch/machinery";

export function rbacSource(client: Client, signal: AbortSignal): RbacSource {
  const types = builtInTypes(client.vocabulary);
  const resources: Readonly<Record<RbacResource, ResourceClient<object>>> = {
    clusterroles: client.resource(types.clusterRoles),
    roles: client.resource(types.roles),
    clusterrolebindings: client.resource(types.clusterRoleBindings),
    rolebindings: client.resource(types.roleBindings),
  };
  return {
    objects(resource, namespace) {
      const all = resources[resource];
      return (namespace === "" ? all : all.namespace(namespace)).all({ signal, dropsManagedFields: true });
    },
    isRefusal: (error) => isCode(error, 403),
  };
}
