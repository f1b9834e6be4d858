// Storages of the built-in resources that the server itself uses.
import type { ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { RbacStorages } from "./bootstrap-objects";

export interface ResourceStorages {
  readonly namespaces: ResourceStorage;
  /** CustomResourceDefinitions. */
  readonly definitions: ResourceStorage;
  readonly configMaps: ResourceStorage;
  /** APIServices. */
  readonly registrations: ResourceStorage;
  readonly pods: ResourceStorage;
  /** PodDisruptionBudgets; undefined in releases without them. */
  readonly budgets: ResourceStorage | undefined;
  readonly nodes: ResourceStorage;
  readonly secrets: ResourceStorage;
  readonly serviceAccounts: ResourceStorage;
  readonly persistentVolumes: ResourceStorage;
  /** VolumeAttachments; undefined in releases without them. */
  readonly volumeAttachments: ResourceStorage | undefined;
  readonly resourceSlices: ResourceStorage | undefined;
  /** PodCertificateRequests; undefined in releases without them. */
  readonly podCertificateRequests: ResourceStorage | undefined;
  readonly services: ResourceStorage;
  /** ServiceCIDRs and IPAddresses; undefined in releases without them. */
  readonly serviceCidrs: ResourceStorage | undefined;
  readonly ipAddresses: ResourceStorage | undefined;
  readonly events: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** EndpointSlices; undefined in releases without them. */
  readonly endpointSlices: ResourceStorage | undefined;
  /** Leases; undefined in releases without them. */
  readonly leases: ResourceStorage | undefined;
  /** LeaseCandidates; undefined when no version of them is served. */
  readonly leaseCandidates: ResourceStorage | undefined;
  /** StorageVersions; undefined when no version of them is served. */
  readonly storageVersions: ResourceStorage | undefined;
  readonly priorityClasses: ResourceStorage;
  readonly rbac: RbacStorages;
  /** Flow control objects; undefined in releases without them. */
  readonly flowControl: FlowControlStorages | undefined;
}

export interface FlowControlStorages {
  readonly flowSchemas: ResourceStorage;
  readonly priorityLevels: ResourceStorage;
}

/** @param all storages of the built-in resources */
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
    resourceSlices: known(vocabulary.groups.resource, "resourceslices"),
    podCertificateRequests: known(vocabulary.groups.certificates, "podcertificaterequests"),
    services: find("", "services"),
    serviceCidrs: known(vocabulary.groups.networking, "servicecidrs"),
    ipAddresses: known(vocabulary.groups.networking, "ipaddresses"),
    events: find("", "events"),
    endpoints: find("", "endpoints"),
    endpointSlices: known(vocabulary.groups.discovery, "endpointslices"),
    leases: known(vocabulary.groups.coordination, "leases"),
    leaseCandidates: known(vocabulary.groups.coordination, "leasecandidates"),
    storageVersions: known(vocabulary.groups.internal, "storageversions"),
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
