// All built-in resources, the core group first. A new resource needs a file and a line here.

import {
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
} from "@orch/apis-core";
import type { BuiltInResource } from "@orch/apis-model";
import { mutatingAdmissionPolicies } from "../admissionregistration/mutating-admission-policies";
import { mutatingAdmissionPolicyBindings } from "../admissionregistration/mutating-admission-policy-bindings";
import { mutatingWebhookConfigurations } from "../admissionregistration/mutating-webhook-configurations";
import { validatingAdmissionPolicies } from "../admissionregistration/validating-admission-policies";
import { validatingAdmissionPolicyBindings } from "../admissionregistration/validating-admission-policy-bindings";
import { validatingWebhookConfigurations } from "../admissionregistration/validating-webhook-configurations";
import { customResourceDefinitions } from "../apiextensions/custom-resource-definitions";
import { apiServices } from "../apiregistration/api-services";
import { controllerRevisions } from "../apps/controller-revisions";
import { daemonSets } from "../apps/daemon-sets";
import { deployments } from "../apps/deployments";
import { replicaSets } from "../apps/replica-sets";
import { statefulSets } from "../apps/stateful-sets";
import { selfSubjectReviews } from "../authentication/self-subject-reviews";
import { tokenReviews } from "../authentication/token-reviews";
import { localSubjectAccessReviews } from "../authorization/local-subject-access-reviews";
import { selfSubjectAccessReviews } from "../authorization/self-subject-access-reviews";
import { selfSubjectRulesReviews } from "../authorization/self-subject-rules-reviews";
import { subjectAccessReviews } from "../authorization/subject-access-reviews";
import { horizontalPodAutoscalers } from "../autoscaling/horizontal-pod-autoscalers";
import { cronJobs } from "../batch/cron-jobs";
import { jobs } from "../batch/jobs";
import { certificateSigningRequests } from "../certificates/certificate-signing-requests";
import { clusterTrustBundles } from "../certificates/cluster-trust-bundles";
import { podCertificateRequests } from "../certificates/pod-certificate-requests";
import { leaseCandidates } from "../coordination/lease-candidates";
import { leases } from "../coordination/leases";
import { endpointSlices } from "../discovery/endpoint-slices";
import { flowSchemas } from "../flowcontrol/flow-schemas";
import { priorityLevelConfigurations } from "../flowcontrol/priority-level-configurations";
import { storageVersions } from "../internal/storage-versions";
import { ingressClasses } from "../networking/ingress-classes";
import { ingresses } from "../networking/ingresses";
import { ipAddresses } from "../networking/ip-addresses";
import { networkPolicies } from "../networking/network-policies";
import { serviceCidrs } from "../networking/service-cidrs";
import { runtimeClasses } from "../node/runtime-classes";
import { podDisruptionBudgets } from "../policy/pod-disruption-budgets";
import { podSecurityPolicies } from "../policy/pod-security-policies";
import { clusterRoleBindings } from "../rbac/cluster-role-bindings";
import { clusterRoles } from "../rbac/cluster-roles";
import { roleBindings } from "../rbac/role-bindings";
import { roles } from "../rbac/roles";
import { deviceClasses } from "../resource/device-classes";
import { deviceTaintRules } from "../resource/device-taint-rules";
import { resourceClaimTemplates } from "../resource/resource-claim-templates";
import { resourceClaims } from "../resource/resource-claims";
import { resourcePoolStatusRequests } from "../resource/resource-pool-status-requests";
import { resourceSlices } from "../resource/resource-slices";
import { compositePodGroups } from "../scheduling/composite-pod-groups";
import { podGroups } from "../scheduling/pod-groups";
import { priorityClasses } from "../scheduling/priority-classes";
import { workloads } from "../scheduling/workloads";
import { csiDrivers } from "../storage/csi-drivers";
import { csiNodes } from "../storage/csi-nodes";
import { csiStorageCapacities } from "../storage/csi-storage-capacities";
import { storageClasses } from "../storage/storage-classes";
import { volumeAttachments } from "../storage/volume-attachments";
import { volumeAttributesClasses } from "../storage/volume-attributes-classes";
import { storageVersionMigrations } from "../storagemigration/storage-version-migrations";

export const EVERY_RESOURCE: readonly BuiltInResource[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  apiServices,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  certificateSigningRequests,
  clusterTrustBundles,
  podCertificateRequests,
  leaseCandidates,
  leases,
  endpointSlices,
  flowSchemas,
  priorityLevelConfigurations,
  storageVersions,
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
  runtimeClasses,
  podDisruptionBudgets,
  podSecurityPolicies,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  deviceClasses,
  deviceTaintRules,
  resourceClaims,
  resourceClaimTemplates,
  resourcePoolStatusRequests,
  resourceSlices,
  compositePodGroups,
  podGroups,
  priorityClasses,
  workloads,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  storageVersionMigrations,
];
