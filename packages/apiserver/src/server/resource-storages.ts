// Those of the built-in resources that the server itself works with.
import type { ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { RbacStorages } from "./bootstrap/bootstrap-objects";

export interface ResourceStorages {
  readonly namespaces: ResourceStorage;
  /** Of custom resources. */
  readonly definitions: ResourceStorage;
  readonly configMaps: ResourceStorage;
  /** Of APIs: APIServices. */
  readonly registrations: ResourceStorage;
  readonly pods: ResourceStorage;
  /** Of disruptions; undefined in releases that have none. */
  readonly budgets: ResourceStorage | undefined;
  readonly nodes: ResourceStorage;
  readonly secrets: ResourceStorage;
  readonly serviceAccounts: ResourceStorage;
  readonly persistentVolumes: ResourceStorage;
  /** Of volumes to nodes; undefined in releases that have none. */
  readonly volumeAttachments: ResourceStorage | undefined;
  readonly services: ResourceStorage;
  readonly events: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** Undefined in releases that have none. */
  readonly endpointSlices: ResourceStorage | undefined;
  /** Undefined in releases that have none. */
  readonly leases: ResourceStorage | undefined;
  readonly priorityClasses: ResourceStorage;
  readonly rbac: RbacStorages;
  /** Undefined in releases that have none. */
  readonly flowControl: FlowControlStorages | undefined;
}

export interface FlowControlStorages {
  readonly flowSchemas: ResourceStorage;
  readonly priorityLevels: ResourceStorage;
}

/** @param all of the built-in ones */
export function resourceStorages(all: readonly ResourceStorage[], vocabulary: Vocabulary): ResourceStorages {
  const known = (group: string, plural: string) =>
    all.find(({ definition }) => definition.group === group && definition.plural === plural);
  const find = (group: string, plural: string): ResourceStorage => {
    const found = known(group, plural);
    if (found === undefined) throw new Error(`the schema has no resource ${plural} in group ${JSON.stringify(group)}`);
    return found;
  };
  const { rbac, flowcontrol } = vocabulary.groups;
  const flowSchemas = known(flowcontrol, "flowschemas");
  const priorityLevels = known(flowcontrol, "prioritylevelconfigurations");
  return {
    namespaces: find("", "namespaces"),
    definitions: find(vocabulary.groups.apiextensions, "customresourcedefinitions"),
    configMaps: find("", "configmaps"),
    registrations: find(vocabulary.groups.apiregistration, "apiservices"),
    pods: find("", "pods"),
    budgets: known("policy", "poddisruptionbudgets"),
    nodes: find("", "nodes"),
    secrets: find("", "secrets"),
    serviceAccounts: find("", "serviceaccounts"),
    persistentVolumes: find("", "persistentvolumes"),
    volumeAttachments: known(vocabulary.groups.storage, "volumeattachments"),
    services: find("", "services"),
    events: find("", "events"),
    endpoints: find("", "endpoints"),
    endpointSlices: known(vocabulary.groups.discovery, "endpointslices"),
    leases: known(vocabulary.groups.coordination, "leases"),
    priorityClasses: find(vocabulary.groups.scheduling, "priorityclasses"),
    rbac: {
      clusterRoles: find(rbac, "clusterroles"),
      clusterRoleBindings: find(rbac, "clusterrolebindings"),
      roles: find(rbac, "roles"),
      roleBindings: find(rbac, "rolebindings"),
    },
    flowControl: flowSchemas && priorityLevels && { flowSchemas, priorityLevels },
  };
}
