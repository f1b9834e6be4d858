// Names in metadata and specs of stored objects. A row: the name of this product, the name of Kubernetes.

import type { IdentifierTable } from "./identifier-table";

export const LABELS = {
  arch: ["orch.io/arch", "kubernetes.io/arch"],
  os: ["orch.io/os", "kubernetes.io/os"],
  hostname: ["orch.io/hostname", "kubernetes.io/hostname"],
  metadataName: ["orch.io/metadata.name", "kubernetes.io/metadata.name"],
  bootstrapping: ["orch.io/bootstrapping", "kubernetes.io/bootstrapping"],
  clusterService: ["orch.io/cluster-service", "kubernetes.io/cluster-service"],
  name: ["orch.io/name", "kubernetes.io/name"],
  role: ["orch.io/role", "kubernetes.io/role"],
  serviceName: ["orch.io/service-name", "kubernetes.io/service-name"],
  legacyTokenLastUsed: ["orch.io/legacy-token-last-used", "kubernetes.io/legacy-token-last-used"],
  legacyTokenInvalidSince: ["orch.io/legacy-token-invalid-since", "kubernetes.io/legacy-token-invalid-since"],
  peerAdvertiseAddress: ["orch.io/peer-advertise-address", "kubernetes.io/peer-advertise-address"],
  betaArch: ["beta.orch.io/arch", "beta.kubernetes.io/arch"],
  betaOs: ["beta.orch.io/os", "beta.kubernetes.io/os"],
  betaInstanceType: ["beta.orch.io/instance-type", "beta.kubernetes.io/instance-type"],
  failureDomainBetaRegion: ["failure-domain.beta.orch.io/region", "failure-domain.beta.kubernetes.io/region"],
  failureDomainBetaZone: ["failure-domain.beta.orch.io/zone", "failure-domain.beta.kubernetes.io/zone"],
  topologyRegion: ["topology.orch.io/region", "topology.kubernetes.io/region"],
  topologyZone: ["topology.orch.io/zone", "topology.kubernetes.io/zone"],
  nodeInstanceType: ["node.orch.io/instance-type", "node.kubernetes.io/instance-type"],
  nodeWindowsBuild: ["node.orch.io/windows-build", "node.kubernetes.io/windows-build"],
  nodeExcludeDisruption: ["node.orch.io/exclude-disruption", "node.kubernetes.io/exclude-disruption"],
  nodeExcludeFromExternalLoadBalancers: [
    "node.orch.io/exclude-from-external-load-balancers",
    "node.kubernetes.io/exclude-from-external-load-balancers",
  ],
  nodeRole: ["node-role.orch.io/", "node-role.kubernetes.io/"],
  nodeRestriction: ["node-restriction.orch.io/", "node-restriction.kubernetes.io/"],
  node: ["node.orch.io/", "node.kubernetes.io/"],
  nodeagent: ["nodeagent.orch.io/", "kubelet.kubernetes.io/"],
  statefulsetPodName: ["statefulset.orch.io/pod-name", "statefulset.kubernetes.io/pod-name"],
  appsPodIndex: ["apps.orch.io/pod-index", "apps.kubernetes.io/pod-index"],
  controllerHash: ["controller.orch.io/hash", "controller.kubernetes.io/hash"],
  batchJobName: ["batch.orch.io/job-name", "batch.kubernetes.io/job-name"],
  batchControllerUid: ["batch.orch.io/controller-uid", "batch.kubernetes.io/controller-uid"],
  batchJobCompletionIndex: ["batch.orch.io/job-completion-index", "batch.kubernetes.io/job-completion-index"],
  serviceHeadless: ["service.orch.io/headless", "service.kubernetes.io/headless"],
  serviceServiceProxyName: ["service.orch.io/service-proxy-name", "service.kubernetes.io/service-proxy-name"],
  endpointsliceManagedBy: ["endpointslice.orch.io/managed-by", "endpointslice.kubernetes.io/managed-by"],
  endpointsliceSkipMirror: ["endpointslice.orch.io/skip-mirror", "endpointslice.kubernetes.io/skip-mirror"],
  endpointsManagedBy: ["endpoints.orch.io/managed-by", "endpoints.kubernetes.io/managed-by"],
  ipaddressManagedBy: ["ipaddress.orch.io/managed-by", "ipaddress.kubernetes.io/managed-by"],
  ipaddressIpFamily: ["ipaddress.orch.io/ip-family", "ipaddress.kubernetes.io/ip-family"],
  aggregatorAutomanaged: ["orch-aggregator.orch.io/automanaged", "kube-aggregator.kubernetes.io/automanaged"],
  rbacAuthorizationAggregateToAdmin: [
    "rbac.authorization.orch.io/aggregate-to-admin",
    "rbac.authorization.k8s.io/aggregate-to-admin",
  ],
  rbacAuthorizationAggregateToEdit: [
    "rbac.authorization.orch.io/aggregate-to-edit",
    "rbac.authorization.k8s.io/aggregate-to-edit",
  ],
  rbacAuthorizationAggregateToView: [
    "rbac.authorization.orch.io/aggregate-to-view",
    "rbac.authorization.k8s.io/aggregate-to-view",
  ],
  component: ["orch.io/component", "k8s.io/component"],
  apiserverIdentity: ["apiserver.orch.io/identity", "apiserver.kubernetes.io/identity"],
  podSecurityEnforce: ["pod-security.orch.io/enforce", "pod-security.kubernetes.io/enforce"],
  podSecurityEnforceVersion: ["pod-security.orch.io/enforce-version", "pod-security.kubernetes.io/enforce-version"],
  podSecurityAudit: ["pod-security.orch.io/audit", "pod-security.kubernetes.io/audit"],
  podSecurityAuditVersion: ["pod-security.orch.io/audit-version", "pod-security.kubernetes.io/audit-version"],
  podSecurityWarn: ["pod-security.orch.io/warn", "pod-security.kubernetes.io/warn"],
  podSecurityWarnVersion: ["pod-security.orch.io/warn-version", "pod-security.kubernetes.io/warn-version"],
  applysetId: ["applyset.orch.io/id", "applyset.kubernetes.io/id"],
  applysetPartOf: ["applyset.orch.io/part-of", "applyset.kubernetes.io/part-of"],
  applysetIsParentType: ["applyset.orch.io/is-parent-type", "applyset.kubernetes.io/is-parent-type"],
  app: ["app.orch.io/", "app.kubernetes.io/"],
  addonmanagerMode: ["addonmanager.orch.io/mode", "addonmanager.kubernetes.io/mode"],
  resourceAdminAccess: ["resource.orch.io/admin-access", "resource.kubernetes.io/admin-access"],
  pdbDeprecatedEmptySelectorMatch: [
    "pdb.orch.io/deprecated-v1beta1-empty-selector-match",
    "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match",
  ],
} as const satisfies IdentifierTable;

export const LABEL_VALUES = {
  product: ["orch", "kubernetes"],
  apiserver: ["orch-apiserver", "kube-apiserver"],
  endpointsliceController: ["endpointslice-controller.orch.io", "endpointslice-controller.k8s.io"],
  endpointslicemirroringController: [
    "endpointslicemirroring-controller.orch.io",
    "endpointslicemirroring-controller.k8s.io",
  ],
  ipallocator: ["ipallocator.orch.io", "ipallocator.k8s.io"],
} as const satisfies IdentifierTable;

export const ANNOTATIONS = {
  changeCause: ["orch.io/change-cause", "kubernetes.io/change-cause"],
  deletionProtection: ["orch.io/deletion-protection", "kubernetes.io/deletion-protection"],
  description: ["orch.io/description", "kubernetes.io/description"],
  expiresAt: ["orch.io/expires-at", "kubernetes.io/expires-at"],
  ttl: ["orch.io/ttl", "kubernetes.io/ttl"],
  history: ["orch.io/history", "kubernetes.io/history"],
  configHash: ["orch.io/config.hash", "kubernetes.io/config.hash"],
  configMirror: ["orch.io/config.mirror", "kubernetes.io/config.mirror"],
  configSeen: ["orch.io/config.seen", "kubernetes.io/config.seen"],
  configSource: ["orch.io/config.source", "kubernetes.io/config.source"],
  createdby: ["orch.io/createdby", "kubernetes.io/createdby"],
  egressBandwidth: ["orch.io/egress-bandwidth", "kubernetes.io/egress-bandwidth"],
  ingressBandwidth: ["orch.io/ingress-bandwidth", "kubernetes.io/ingress-bandwidth"],
  enforceMountableSecrets: ["orch.io/enforce-mountable-secrets", "kubernetes.io/enforce-mountable-secrets"],
  ingressClass: ["orch.io/ingress.class", "kubernetes.io/ingress.class"],
  limitRanger: ["orch.io/limit-ranger", "kubernetes.io/limit-ranger"],
  psp: ["orch.io/psp", "kubernetes.io/psp"],
  serviceAccountName: ["orch.io/service-account.name", "kubernetes.io/service-account.name"],
  serviceAccountUid: ["orch.io/service-account.uid", "kubernetes.io/service-account.uid"],
  alphaImagePolicyFailedOpen: ["alpha.image-policy.orch.io/failed-open", "alpha.image-policy.k8s.io/failed-open"],
  imagePolicy: ["*.image-policy.orch.io/*", "*.image-policy.k8s.io/*"],
  alphaProvidedNodeIp: ["alpha.orch.io/provided-node-ip", "alpha.kubernetes.io/provided-node-ip"],
  apfAutoupdateSpec: ["apf.orch.io/autoupdate-spec", "apf.kubernetes.io/autoupdate-spec"],
  apiApproved: ["api-approved.orch.io", "api-approved.kubernetes.io"],
  apparmorSecurityBetaAllowedProfileNames: [
    "apparmor.security.beta.orch.io/allowedProfileNames",
    "apparmor.security.beta.kubernetes.io/allowedProfileNames",
  ],
  apparmorSecurityBetaDefaultProfileName: [
    "apparmor.security.beta.orch.io/defaultProfileName",
    "apparmor.security.beta.kubernetes.io/defaultProfileName",
  ],
  containerApparmorSecurityBeta: [
    "container.apparmor.security.beta.orch.io/",
    "container.apparmor.security.beta.kubernetes.io/",
  ],
  seccompSecurityAlphaPod: ["seccomp.security.alpha.orch.io/pod", "seccomp.security.alpha.kubernetes.io/pod"],
  seccompSecurityAlphaAllowedProfileNames: [
    "seccomp.security.alpha.orch.io/allowedProfileNames",
    "seccomp.security.alpha.kubernetes.io/allowedProfileNames",
  ],
  seccompSecurityAlphaDefaultProfileName: [
    "seccomp.security.alpha.orch.io/defaultProfileName",
    "seccomp.security.alpha.kubernetes.io/defaultProfileName",
  ],
  containerSeccompSecurityAlpha: [
    "container.seccomp.security.alpha.orch.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
  ],
  autoscalingAlphaBehavior: ["autoscaling.alpha.orch.io/behavior", "autoscaling.alpha.kubernetes.io/behavior"],
  autoscalingAlphaConditions: ["autoscaling.alpha.orch.io/conditions", "autoscaling.alpha.kubernetes.io/conditions"],
  autoscalingAlphaCurrentMetrics: [
    "autoscaling.alpha.orch.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/current-metrics",
  ],
  autoscalingAlphaMetrics: ["autoscaling.alpha.orch.io/metrics", "autoscaling.alpha.kubernetes.io/metrics"],
  batchJobTracking: ["batch.orch.io/job-tracking", "batch.kubernetes.io/job-tracking"],
  batchCronjobScheduledTimestamp: [
    "batch.orch.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
  ],
  batchJobIndexFailureCount: ["batch.orch.io/job-index-failure-count", "batch.kubernetes.io/job-index-failure-count"],
  batchJobIndexIgnoredFailureCount: [
    "batch.orch.io/job-index-ignored-failure-count",
    "batch.kubernetes.io/job-index-ignored-failure-count",
  ],
  controlPlaneAlphaLeader: ["control-plane.alpha.orch.io/leader", "control-plane.alpha.kubernetes.io/leader"],
  controllerPodDeletionCost: ["controller.orch.io/pod-deletion-cost", "controller.kubernetes.io/pod-deletion-cost"],
  cronjobInstantiate: ["cronjob.orch.io/instantiate", "cronjob.kubernetes.io/instantiate"],
  csiVolumeNodeid: ["csi.volume.orch.io/nodeid", "csi.volume.kubernetes.io/nodeid"],
  deploymentRevision: ["deployment.orch.io/revision", "deployment.kubernetes.io/revision"],
  deploymentRevisionHistory: ["deployment.orch.io/revision-history", "deployment.kubernetes.io/revision-history"],
  deploymentDesiredReplicas: ["deployment.orch.io/desired-replicas", "deployment.kubernetes.io/desired-replicas"],
  deploymentMaxReplicas: ["deployment.orch.io/max-replicas", "deployment.kubernetes.io/max-replicas"],
  endpointsLastChangeTriggerTime: [
    "endpoints.orch.io/last-change-trigger-time",
    "endpoints.kubernetes.io/last-change-trigger-time",
  ],
  endpointsOverCapacity: ["endpoints.orch.io/over-capacity", "endpoints.kubernetes.io/over-capacity"],
  experimentalWindowsIsolationType: [
    "experimental.windows.orch.io/isolation-type",
    "experimental.windows.kubernetes.io/isolation-type",
  ],
  flowcontrolV1beta3PreserveZeroConcurrencyShares: [
    "flowcontrol.orch.io/v1beta3-preserve-zero-concurrency-shares",
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares",
  ],
  initialEventsEnd: ["orch.io/initial-events-end", "k8s.io/initial-events-end"],
  ingressclassIsDefaultClass: ["ingressclass.orch.io/is-default-class", "ingressclass.kubernetes.io/is-default-class"],
  storageclassIsDefaultClass: ["storageclass.orch.io/is-default-class", "storageclass.kubernetes.io/is-default-class"],
  storageclassBetaIsDefaultClass: [
    "storageclass.beta.orch.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ],
  orchctlLastAppliedConfiguration: [
    "orchctl.orch.io/last-applied-configuration",
    "kubectl.kubernetes.io/last-applied-configuration",
  ],
  orchctlRestartedAt: ["orchctl.orch.io/restartedAt", "kubectl.kubernetes.io/restartedAt"],
  orchctlDefaultContainer: ["orchctl.orch.io/default-container", "kubectl.kubernetes.io/default-container"],
  orchctlDefaultLogsContainer: [
    "orchctl.orch.io/default-logs-container",
    "kubectl.kubernetes.io/default-logs-container",
  ],
  orchctlOriginalCommand: ["orchctl.orch.io/original-command", "kubectl.kubernetes.io/original-command"],
  nodeAlphaTtl: ["node.alpha.orch.io/ttl", "node.alpha.kubernetes.io/ttl"],
  nonConvertible: ["non-convertible.orch.io", "non-convertible.kubernetes.io"],
  podAlphaInitContainers: ["pod.alpha.orch.io/init-containers", "pod.alpha.kubernetes.io/init-containers"],
  podAlphaInitContainerStatuses: [
    "pod.alpha.orch.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
  ],
  podBetaInitContainers: ["pod.beta.orch.io/init-containers", "pod.beta.kubernetes.io/init-containers"],
  podBetaInitContainerStatuses: [
    "pod.beta.orch.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-container-statuses",
  ],
  podpresetAdmissionExclude: ["podpreset.admission.orch.io/exclude", "podpreset.admission.kubernetes.io/exclude"],
  pvBindCompleted: ["pv.orch.io/bind-completed", "pv.kubernetes.io/bind-completed"],
  pvBoundByController: ["pv.orch.io/bound-by-controller", "pv.kubernetes.io/bound-by-controller"],
  pvMigratedTo: ["pv.orch.io/migrated-to", "pv.kubernetes.io/migrated-to"],
  pvProvisionedBy: ["pv.orch.io/provisioned-by", "pv.kubernetes.io/provisioned-by"],
  pvBetaGid: ["pv.beta.orch.io/gid", "pv.beta.kubernetes.io/gid"],
  rbacAuthorizationAutoupdate: ["rbac.authorization.orch.io/autoupdate", "rbac.authorization.kubernetes.io/autoupdate"],
  resourcePodClaimName: ["resource.orch.io/pod-claim-name", "resource.kubernetes.io/pod-claim-name"],
  resourceExtendedResourceClaim: [
    "resource.orch.io/extended-resource-claim",
    "resource.kubernetes.io/extended-resource-claim",
  ],
  schedulerAlphaNodeSelector: ["scheduler.alpha.orch.io/node-selector", "scheduler.alpha.kubernetes.io/node-selector"],
  schedulerAlphaDefaultTolerations: [
    "scheduler.alpha.orch.io/defaultTolerations",
    "scheduler.alpha.kubernetes.io/defaultTolerations",
  ],
  schedulerAlphaTolerationsWhitelist: [
    "scheduler.alpha.orch.io/tolerationsWhitelist",
    "scheduler.alpha.kubernetes.io/tolerationsWhitelist",
  ],
  schedulerAlphaPreferAvoidPods: [
    "scheduler.alpha.orch.io/preferAvoidPods",
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
  ],
  schedulerAlphaTaints: ["scheduler.alpha.orch.io/taints", "scheduler.alpha.kubernetes.io/taints"],
  schedulerAlphaTolerations: ["scheduler.alpha.orch.io/tolerations", "scheduler.alpha.kubernetes.io/tolerations"],
  schedulerAlphaCriticalPod: ["scheduler.alpha.orch.io/critical-pod", "scheduler.alpha.kubernetes.io/critical-pod"],
  serviceAlphaTolerateUnreadyEndpoints: [
    "service.alpha.orch.io/tolerate-unready-endpoints",
    "service.alpha.kubernetes.io/tolerate-unready-endpoints",
  ],
  serviceBetaLoadBalancerSourceRanges: [
    "service.beta.orch.io/load-balancer-source-ranges",
    "service.beta.kubernetes.io/load-balancer-source-ranges",
  ],
  serviceBeta: ["service.beta.orch.io/", "service.beta.kubernetes.io/"],
  serviceTopologyAwareHints: ["service.orch.io/topology-aware-hints", "service.kubernetes.io/topology-aware-hints"],
  serviceTopologyMode: ["service.orch.io/topology-mode", "service.kubernetes.io/topology-mode"],
  snapshotStorageAllowVolumeModeChange: [
    "snapshot.storage.orch.io/allow-volume-mode-change",
    "snapshot.storage.kubernetes.io/allow-volume-mode-change",
  ],
  storageAlphaMigratedPlugins: [
    "storage.alpha.orch.io/migrated-plugins",
    "storage.alpha.kubernetes.io/migrated-plugins",
  ],
  volumeBetaMountOptions: ["volume.beta.orch.io/mount-options", "volume.beta.kubernetes.io/mount-options"],
  volumeBetaStorageClass: ["volume.beta.orch.io/storage-class", "volume.beta.kubernetes.io/storage-class"],
  volumeBetaStorageProvisioner: [
    "volume.beta.orch.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
  ],
  volumeStorageProvisioner: ["volume.orch.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"],
  volumeSelectedNode: ["volume.orch.io/selected-node", "volume.kubernetes.io/selected-node"],
  volumeStorageResizer: ["volume.orch.io/storage-resizer", "volume.kubernetes.io/storage-resizer"],
  volumesControllerManagedAttachDetach: [
    "volumes.orch.io/controller-managed-attach-detach",
    "volumes.kubernetes.io/controller-managed-attach-detach",
  ],
  volumesKeepTerminatedPodVolumes: [
    "volumes.orch.io/keep-terminated-pod-volumes",
    "volumes.kubernetes.io/keep-terminated-pod-volumes",
  ],
  applysetAdditionalNamespaces: [
    "applyset.orch.io/additional-namespaces",
    "applyset.kubernetes.io/additional-namespaces",
  ],
  applysetContainsGroupKinds: ["applyset.orch.io/contains-group-kinds", "applyset.kubernetes.io/contains-group-kinds"],
  applysetContainsGroupResources: [
    "applyset.orch.io/contains-group-resources",
    "applyset.kubernetes.io/contains-group-resources",
  ],
  applysetTooling: ["applyset.orch.io/tooling", "applyset.kubernetes.io/tooling"],
  configLocalConfig: ["config.orch.io/local-config", "config.kubernetes.io/local-config"],
  internalConfig: ["internal.config.orch.io/", "internal.config.kubernetes.io/"],
  clusterAutoscaler: ["cluster-autoscaler.orch.io/", "cluster-autoscaler.kubernetes.io/"],
} as const satisfies IdentifierTable;

export const ANNOTATION_VALUES = {
  leaderelectionUnknown: ["leaderelection.orch.io/unknown", "leaderelection.k8s.io/unknown"],
} as const satisfies IdentifierTable;

export const TAINTS = {
  nodeNotReady: ["node.orch.io/not-ready", "node.kubernetes.io/not-ready"],
  nodeUnreachable: ["node.orch.io/unreachable", "node.kubernetes.io/unreachable"],
  nodeUnschedulable: ["node.orch.io/unschedulable", "node.kubernetes.io/unschedulable"],
  nodeMemoryPressure: ["node.orch.io/memory-pressure", "node.kubernetes.io/memory-pressure"],
  nodeDiskPressure: ["node.orch.io/disk-pressure", "node.kubernetes.io/disk-pressure"],
  nodePidPressure: ["node.orch.io/pid-pressure", "node.kubernetes.io/pid-pressure"],
  nodeNetworkUnavailable: ["node.orch.io/network-unavailable", "node.kubernetes.io/network-unavailable"],
  nodeOutOfService: ["node.orch.io/out-of-service", "node.kubernetes.io/out-of-service"],
  nodeCloudproviderUninitialized: [
    "node.cloudprovider.orch.io/uninitialized",
    "node.cloudprovider.kubernetes.io/uninitialized",
  ],
  nodeCloudproviderShutdown: ["node.cloudprovider.orch.io/shutdown", "node.cloudprovider.kubernetes.io/shutdown"],
  nodeRoleMaster: ["node-role.orch.io/master", "node-role.kubernetes.io/master"],
  nodeRoleControlPlane: ["node-role.orch.io/control-plane", "node-role.kubernetes.io/control-plane"],
} as const satisfies IdentifierTable;

export const FINALIZERS = {
  product: ["orch", "kubernetes"],
  pvcProtection: ["orch.io/pvc-protection", "kubernetes.io/pvc-protection"],
  pvProtection: ["orch.io/pv-protection", "kubernetes.io/pv-protection"],
  podGroupProtection: ["scheduling.orch.io/podgroup-protection", "scheduling.k8s.io/podgroup-protection"],
  vacProtection: ["orch.io/vac-protection", "kubernetes.io/vac-protection"],
  customresourcecleanupApiextensions: [
    "customresourcecleanup.apiextensions.orch.io",
    "customresourcecleanup.apiextensions.k8s.io",
  ],
  serviceLoadBalancerCleanup: ["service.orch.io/load-balancer-cleanup", "service.kubernetes.io/load-balancer-cleanup"],
  batchJobTracking: ["batch.orch.io/job-tracking", "batch.kubernetes.io/job-tracking"],
  resourceDeleteProtection: ["resource.orch.io/delete-protection", "resource.kubernetes.io/delete-protection"],
  networkingServiceCidrFinalizer: [
    "networking.orch.io/service-cidr-finalizer",
    "networking.k8s.io/service-cidr-finalizer",
  ],
} as const satisfies IdentifierTable;

export const CONDITION_TYPES = {
  apiApprovalPolicyConformant: ["OrchAPIApprovalPolicyConformant", "KubernetesAPIApprovalPolicyConformant"],
} as const satisfies IdentifierTable;

export const SECRET_TYPES = {
  serviceAccountToken: ["orch.io/service-account-token", "kubernetes.io/service-account-token"],
  dockercfg: ["orch.io/dockercfg", "kubernetes.io/dockercfg"],
  dockerconfigjson: ["orch.io/dockerconfigjson", "kubernetes.io/dockerconfigjson"],
  basicAuth: ["orch.io/basic-auth", "kubernetes.io/basic-auth"],
  sshAuth: ["orch.io/ssh-auth", "kubernetes.io/ssh-auth"],
  tls: ["orch.io/tls", "kubernetes.io/tls"],
  bootstrapToken: ["bootstrap.orch.io/token", "bootstrap.kubernetes.io/token"],
} as const satisfies IdentifierTable;

export const RESOURCE_NAMES = {
  storageclassStorage: [".storageclass.storage.orch.io/", ".storageclass.storage.k8s.io/"],
  product: ["orch.io/", "kubernetes.io/"],
  deviceclassDevicesResourceDevices: [
    ".deviceclass-devices.resource.orch.io/devices",
    ".deviceclass.resource.k8s.io/devices",
  ],
  deviceclassResource: ["deviceclass.resource.orch.io/", "deviceclass.resource.kubernetes.io/"],
  requestsDeviceclassResource: [
    "requests.deviceclass.resource.orch.io/",
    "requests.deviceclass.resource.kubernetes.io/",
  ],
} as const satisfies IdentifierTable;

export const CONTROLLER_REPORTERS = {
  imperativeEvictionEvictor: ["imperative-eviction.orch.io/evictor", "imperative-eviction.k8s.io/evictor"],
  jobController: ["orch.io/job-controller", "kubernetes.io/job-controller"],
} as const satisfies IdentifierTable;
