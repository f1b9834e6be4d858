// The most common built-in resources, each with its TypeScript type. For others, write a ResourceType or use a
// ResourceMapper.
import type {
  apiextensionsV1,
  appsV1,
  authorizationV1,
  batchV1,
  certificatesV1,
  coordinationV1,
  coreV1,
  discoveryV1,
  eventsV1,
  networkingV1,
  rbacV1,
  resourceV1,
  storageV1,
  VocabularyName,
} from "@orch/schema";
import { groupName, vocabularyOf } from "@orch/schema";
import type { ResourceType } from "../requests/resource-type";

/** Group id in the vocabulary, version, plural, kind, and whether it is namespaced. */
type Row = readonly [group: string, version: string, resource: string, kind: string, namespaced: boolean];

const ROWS = {
  configMaps: ["core", "v1", "configmaps", "ConfigMap", true],
  endpoints: ["core", "v1", "endpoints", "Endpoints", true],
  namespaces: ["core", "v1", "namespaces", "Namespace", false],
  nodes: ["core", "v1", "nodes", "Node", false],
  persistentVolumeClaims: ["core", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true],
  persistentVolumes: ["core", "v1", "persistentvolumes", "PersistentVolume", false],
  pods: ["core", "v1", "pods", "Pod", true],
  replicationControllers: ["core", "v1", "replicationcontrollers", "ReplicationController", true],
  secrets: ["core", "v1", "secrets", "Secret", true],
  serviceAccounts: ["core", "v1", "serviceaccounts", "ServiceAccount", true],
  services: ["core", "v1", "services", "Service", true],
  customResourceDefinitions: ["apiextensions", "v1", "customresourcedefinitions", "CustomResourceDefinition", false],
  daemonSets: ["apps", "v1", "daemonsets", "DaemonSet", true],
  deployments: ["apps", "v1", "deployments", "Deployment", true],
  replicaSets: ["apps", "v1", "replicasets", "ReplicaSet", true],
  statefulSets: ["apps", "v1", "statefulsets", "StatefulSet", true],
  subjectAccessReviews: ["authorization", "v1", "subjectaccessreviews", "SubjectAccessReview", false],
  jobs: ["batch", "v1", "jobs", "Job", true],
  certificateSigningRequests: ["certificates", "v1", "certificatesigningrequests", "CertificateSigningRequest", false],
  endpointSlices: ["discovery", "v1", "endpointslices", "EndpointSlice", true],
  ipAddresses: ["networking", "v1", "ipaddresses", "IPAddress", false],
  serviceCIDRs: ["networking", "v1", "servicecidrs", "ServiceCIDR", false],
  volumeAttributesClasses: ["storage", "v1", "volumeattributesclasses", "VolumeAttributesClass", false],
  resourceClaims: ["resource", "v1", "resourceclaims", "ResourceClaim", true],
  resourceClaimTemplates: ["resource", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", true],
  resourceSlices: ["resource", "v1", "resourceslices", "ResourceSlice", false],
  leases: ["coordination", "v1", "leases", "Lease", true],
  events: ["events", "v1", "events", "Event", true],
  clusterRoleBindings: ["rbac", "v1", "clusterrolebindings", "ClusterRoleBinding", false],
  clusterRoles: ["rbac", "v1", "clusterroles", "ClusterRole", false],
  roleBindings: ["rbac", "v1", "rolebindings", "RoleBinding", true],
  roles: ["rbac", "v1", "roles", "Role", true],
} as const satisfies Readonly<Record<string, Row>>;

interface Types {
  configMaps: coreV1.ConfigMap;
  endpoints: coreV1.Endpoints;
  namespaces: coreV1.Namespace;
  nodes: coreV1.Node;
  persistentVolumeClaims: coreV1.PersistentVolumeClaim;
  persistentVolumes: coreV1.PersistentVolume;
  pods: coreV1.Pod;
  replicationControllers: coreV1.ReplicationController;
  secrets: coreV1.Secret;
  serviceAccounts: coreV1.ServiceAccount;
  services: coreV1.Service;
  customResourceDefinitions: apiextensionsV1.CustomResourceDefinition;
  daemonSets: appsV1.DaemonSet;
  deployments: appsV1.Deployment;
  replicaSets: appsV1.ReplicaSet;
  statefulSets: appsV1.StatefulSet;
  subjectAccessReviews: authorizationV1.SubjectAccessReview;
  jobs: batchV1.Job;
  certificateSigningRequests: certificatesV1.CertificateSigningRequest;
  endpointSlices: discoveryV1.EndpointSlice;
  ipAddresses: networkingV1.IPAddress;
  serviceCIDRs: networkingV1.ServiceCIDR;
  volumeAttributesClasses: storageV1.VolumeAttributesClass;
  resourceClaims: resourceV1.ResourceClaim;
  resourceClaimTemplates: resourceV1.ResourceClaimTemplate;
  resourceSlices: resourceV1.ResourceSlice;
  leases: coordinationV1.Lease;
  events: eventsV1.Event;
  clusterRoleBindings: rbacV1.ClusterRoleBinding;
  clusterRoles: rbacV1.ClusterRole;
  roleBindings: rbacV1.RoleBinding;
  roles: rbacV1.Role;
}

export type BuiltInTypes = { readonly [Name in keyof typeof ROWS]: ResourceType<Types[Name]> };

/** Returns the types, as in `builtInTypes().pods`. */
export function builtInTypes(vocabulary: VocabularyName = "orch"): BuiltInTypes {
  const names = vocabularyOf(vocabulary);
  const types = Object.entries<Row>(ROWS).map(([id, [group, version, resource, kind, namespaced]]) => [
    id,
    { group: groupName(names, group), version, resource, kind, namespaced },
  ]);
  return Object.fromEntries(types) as BuiltInTypes;
}
