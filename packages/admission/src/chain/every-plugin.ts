// All admission plugins. plugin-order.ts defines the order in which they run.
import type { PluginFactory } from "../contract/plugin";
import { alwaysAdmit, alwaysDeny } from "../plugins/always";
import { alwaysPullImages } from "../plugins/always-pull-images";
import { certificateApproval } from "../plugins/certificate-approval";
import { certificateSigning } from "../plugins/certificate-signing";
import { certificateSubjectRestriction } from "../plugins/certificate-subject-restriction";
import { clusterTrustBundleAttest } from "../plugins/cluster-trust-bundle-attest";
import { defaultIngressClass } from "../plugins/default-ingress-class";
import { defaultStorageClass } from "../plugins/default-storage-class";
import { defaultTolerationSeconds } from "../plugins/default-toleration-seconds";
import { denyEscalatingExec, denyExecOnPrivileged } from "../plugins/deny-exec";
import { denyServiceExternalIps } from "../plugins/deny-service-external-ips";
import { eventRateLimit } from "../plugins/event-rate-limit/plugin";
import { extendedResourceToleration } from "../plugins/extended-resource-toleration";
import { imagePolicyWebhook } from "../plugins/image-policy-webhook/plugin";
import { jobValidation } from "../plugins/job-validation";
import { limitPodHardAntiAffinityTopology } from "../plugins/limit-pod-hard-anti-affinity-topology";
import { limitRanger } from "../plugins/limit-ranger/limit-ranger";
import { namespaceAutoProvision } from "../plugins/namespace-auto-provision";
import { namespaceExists } from "../plugins/namespace-exists";
import { namespaceLifecycle } from "../plugins/namespace-lifecycle";
import { nodeDeclaredFeatureValidator } from "../plugins/node-declared-feature-validator";
import { nodeRestriction } from "../plugins/node-restriction/node-restriction";
import { ownerReferencesPermissionEnforcement } from "../plugins/owner-references-permission-enforcement";
import { persistentVolumeClaimResize } from "../plugins/persistent-volume-claim-resize";
import { podGroupProtection } from "../plugins/pod-group-protection";
import { podGroupWorkloadExists } from "../plugins/pod-group-workload-exists";
import { podNodeSelector } from "../plugins/pod-node-selector";
import { podResizeValidator } from "../plugins/pod-resize-validator";
import { podSecurity } from "../plugins/pod-security/pod-security";
import { podSecurityPolicy } from "../plugins/pod-security-policy/pod-security-policy";
import { podTolerationRestriction } from "../plugins/pod-toleration-restriction";
import { podTopologyLabels } from "../plugins/pod-topology-labels";
import { priority } from "../plugins/priority";
import { resourceQuota } from "../plugins/resource-quota/resource-quota";
import { runtimeClass } from "../plugins/runtime-class";
import { securityContextDeny } from "../plugins/security-context-deny";
import { serviceAccount } from "../plugins/service-account/service-account";
import { storageObjectInUseProtection } from "../plugins/storage-object-in-use-protection";
import { taintNodesByCondition } from "../plugins/taint-nodes-by-condition";
import { mutatingAdmissionPolicy } from "../policies/mutating-admission-policy";
import { validatingAdmissionPolicy } from "../policies/validating-admission-policy";
import { mutatingAdmissionWebhook } from "../webhooks/mutating-webhooks";
import { validatingAdmissionWebhook } from "../webhooks/validating-webhooks";

export const EVERY_PLUGIN: readonly PluginFactory[] = [
  alwaysAdmit,
  alwaysDeny,
  alwaysPullImages,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  defaultIngressClass,
  defaultStorageClass,
  defaultTolerationSeconds,
  denyEscalatingExec,
  denyExecOnPrivileged,
  denyServiceExternalIps,
  eventRateLimit,
  extendedResourceToleration,
  imagePolicyWebhook,
  jobValidation,
  limitPodHardAntiAffinityTopology,
  limitRanger,
  mutatingAdmissionWebhook,
  namespaceAutoProvision,
  namespaceExists,
  namespaceLifecycle,
  validatingAdmissionWebhook,
  nodeDeclaredFeatureValidator,
  nodeRestriction,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  podGroupProtection,
  podGroupWorkloadExists,
  podNodeSelector,
  podResizeValidator,
  podSecurity,
  podSecurityPolicy,
  podTolerationRestriction,
  podTopologyLabels,
  priority,
  resourceQuota,
  runtimeClass,
  securityContextDeny,
  serviceAccount,
  storageObjectInUseProtection,
  taintNodesByCondition,
];
