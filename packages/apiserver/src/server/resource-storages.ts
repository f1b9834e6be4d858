// The built-in resources over one registry, and those among them that the server itself works with.
import { builtInResources } from "@orch/apis";
import type { Registry, ResourceStorage } from "@orch/registry";
import type { Schema, Vocabulary } from "@orch/schema";
import type { TargetStorages } from "../connect/target-objects";
import type { RbacStorages } from "./bootstrap-objects";

export interface ResourceStorages {
  readonly all: readonly ResourceStorage[];
  readonly namespaces: ResourceStorage;
  readonly targets: TargetStorages;
  readonly rbac: RbacStorages;
}

/** @param release whose resources are served, such as `1.23` */
export function resourceStorages(
  registry: Registry,
  {
    vocabulary,
    schema,
    release,
  }: { readonly vocabulary: Vocabulary; readonly schema: Schema; readonly release: string },
): ResourceStorages {
  const all = builtInResources(vocabulary, schema, { release }).map((definition) => registry.resource(definition));
  const find = (group: string, plural: string): ResourceStorage => {
    const found = all.find(({ definition }) => definition.group === group && definition.plural === plural);
    if (found === undefined) throw new Error(`the schema has no resource ${plural} in group ${JSON.stringify(group)}`);
    return found;
  };
  const { rbac } = vocabulary.groups;
  return {
    all,
    namespaces: find("", "namespaces"),
    targets: {
      pods: find("", "pods"),
      nodes: find("", "nodes"),
      services: find("", "services"),
      endpoints: find("", "endpoints"),
    },
    rbac: {
      clusterRoles: find(rbac, "clusterroles"),
      clusterRoleBindings: find(rbac, "clusterrolebindings"),
      roles: find(rbac, "roles"),
      roleBindings: find(rbac, "rolebindings"),
    },
  };
}
