// Feature gates of pods and of the kinds that create, schedule and expose pods. Source: Kubernetes documentation,
// "Feature Gates"; pkg/features/kube_features.go.
import type { GateRow } from "@orch/machinery";

export const WORKLOAD_GATES = {
  AppArmorFields: { stages: { beta: "1.30", ga: "1.31" }, removed: "1.33", help: "AppArmor profiles as fields" },
  ClearingNominatedNodeNameAfterBinding: {
    stages: { alpha: "1.34", beta: "1.35" },
    help: "nominated node names that end when the pod is bound",
  },
  ClusterTrustBundleProjection: {
    stages: { alpha: "1.29", beta: "1.33", ga: "1.37" },
    onSince: "1.37",
    lockedSince: "1.38",
    help: "trust bundles in projected volumes",
  },
  ContainerRestartRules: { stages: { alpha: "1.34", beta: "1.35" }, help: "restart policies and rules of containers" },
  ContainerStopSignals: { stages: { alpha: "1.33" }, help: "stop signals of containers" },
  CronJobTimeZone: { stages: { alpha: "1.24", beta: "1.25", ga: "1.27" }, removed: "1.29", help: "time zones" },
  DeploymentReplicaSetTerminatingReplicas: {
    stages: { alpha: "1.33", beta: "1.35" },
    help: "number of terminating pods in the status of deployments and replica sets",
  },
  EnvFiles: { stages: { alpha: "1.34", beta: "1.35" }, help: "environment variables from files" },
  HPAConfigurableTolerance: {
    stages: { alpha: "1.33", beta: "1.35", ga: "1.37" },
    help: "tolerance of autoscalers",
  },
  HostnameOverride: { stages: { alpha: "1.34", beta: "1.35" }, help: "arbitrary host names of pods" },
  ImageVolume: { stages: { alpha: "1.31", beta: "1.33", ga: "1.36" }, onSince: "1.35", help: "image volumes" },
  InPlacePodLevelResourcesVerticalScaling: {
    stages: { alpha: "1.35", beta: "1.36" },
    help: "resize of the resources of a pod as a whole",
  },
  InPlacePodVerticalScaling: {
    stages: { alpha: "1.27", beta: "1.33", ga: "1.35" },
    help: "resize of containers without a restart of the pod",
  },
  InPlacePodVerticalScalingInitContainers: { stages: { beta: "1.36" }, help: "resize of init containers" },
  JobBackoffLimitPerIndex: {
    stages: { alpha: "1.28", beta: "1.29", ga: "1.33" },
    help: "backoff limit of each index of a job",
  },
  JobManagedBy: { stages: { alpha: "1.30", beta: "1.32", ga: "1.35" }, help: "jobs of other controllers" },
  JobPodFailurePolicy: {
    stages: { alpha: "1.25", beta: "1.26", ga: "1.31" },
    removed: "1.33",
    help: "policy of jobs for failed pods",
  },
  JobPodReplacementPolicy: {
    stages: { alpha: "1.28", beta: "1.29", ga: "1.34" },
    help: "time at which jobs replace pods",
  },
  JobSuccessPolicy: { stages: { alpha: "1.30", beta: "1.31", ga: "1.33" }, help: "success policy of indexed jobs" },
  MatchLabelKeysInPodAffinity: {
    stages: { alpha: "1.29", beta: "1.31", ga: "1.33" },
    help: "label keys of pod affinity",
  },
  MatchLabelKeysInPodTopologySpread: { stages: { alpha: "1.25", beta: "1.27" }, help: "label keys of pod spreading" },
  MatchLabelKeysInPodTopologySpreadSelectorMerge: {
    stages: { beta: "1.34" },
    help: "label keys of pod spreading as terms of its selector",
  },
  MutablePodResourcesForSuspendedJobs: {
    stages: { alpha: "1.35", beta: "1.36" },
    help: "changes of the pod resources of suspended jobs",
  },
  MutableSchedulingDirectivesForSuspendedJobs: {
    stages: { alpha: "1.35", beta: "1.36" },
    help: "changes of the scheduling directives of suspended jobs that have run",
  },
  MutableCSINodeAllocatableCount: {
    stages: { alpha: "1.33", beta: "1.34", ga: "1.36" },
    onSince: "1.35",
    help: "volume limits of nodes that drivers update",
  },
  NodeDeclaredFeatures: {
    stages: { alpha: "1.35", beta: "1.36", ga: "1.37" },
    help: "features that nodes declare",
  },
  NodeInclusionPolicyInPodTopologySpread: {
    stages: { alpha: "1.25", beta: "1.26", ga: "1.33" },
    help: "nodes that pod spreading counts",
  },
  PDBUnhealthyPodEvictionPolicy: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.31" },
    removed: "1.33",
    help: "eviction of pods that are not ready",
  },
  PersistentVolumeLastPhaseTransitionTime: {
    stages: { alpha: "1.28", beta: "1.29", ga: "1.31" },
    removed: "1.33",
    help: "time at which a volume entered its phase",
  },
  PodCertificateRequest: {
    stages: { alpha: "1.34", beta: "1.35", ga: "1.37" },
    onSince: "1.37",
    lockedSince: "1.38",
    help: "the kind PodCertificateRequest, and pod certificates in projected volumes",
  },
  ImageVolumeWithDigest: { stages: { alpha: "1.35" }, help: "digests of image volumes in the status of pods" },
  PodLevelResources: { stages: { alpha: "1.32", beta: "1.34" }, help: "resources of a pod as a whole" },
  PodLifecycleSleepAction: { stages: { alpha: "1.29", beta: "1.30", ga: "1.34" }, help: "sleep as a lifecycle hook" },
  PodLifecycleSleepActionAllowZero: { stages: { alpha: "1.32", beta: "1.33", ga: "1.34" }, help: "sleep of 0 seconds" },
  PodObservedGenerationTracking: {
    stages: { alpha: "1.33", beta: "1.34", ga: "1.35" },
    help: "generation of pods and its observation in their status",
  },
  PodSchedulingReadiness: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.30" },
    help: "scheduling gates of pods",
  },
  PodTopologyLabelsAdmission: {
    stages: { alpha: "1.33", beta: "1.35" },
    help: "topology labels of the node in its pods",
  },
  PreferSameTrafficDistribution: {
    stages: { alpha: "1.33", beta: "1.34", ga: "1.35" },
    help: "traffic distributions PreferSameZone and PreferSameNode of services",
  },
  RecoverVolumeExpansionFailure: {
    stages: { alpha: "1.23", beta: "1.32", ga: "1.34" },
    help: "smaller requests of claims whose expansion has failed",
  },
  RecursiveReadOnlyMounts: {
    stages: { alpha: "1.30", beta: "1.31", ga: "1.33" },
    help: "volume mounts that are read-only with all mounts below them",
  },
  RelaxedDNSSearchValidation: {
    stages: { alpha: "1.32", beta: "1.33", ga: "1.34" },
    help: "search domains of pods with underscores, and the domain '.'",
  },
  RelaxedEnvironmentVariableValidation: {
    stages: { alpha: "1.30", beta: "1.32", ga: "1.34" },
    help: "names of environment variables with almost any printable ASCII character",
  },
  RelaxedServiceNameValidation: {
    stages: { alpha: "1.34", beta: "1.36" },
    help: "names of services that begin with a digit",
  },
  ResourceHealthStatus: { stages: { alpha: "1.31", beta: "1.36" }, help: "health of allocated devices" },
  RestartAllContainersOnContainerExits: {
    stages: { alpha: "1.35", beta: "1.36" },
    help: "restart rules that restart all containers of the pod",
  },
  SELinuxMount: {
    stages: { alpha: "1.30", beta: "1.33", ga: "1.37" },
    onSince: "1.37",
    help: "volumes of every access mode mounted with an SELinux label",
  },
  TaintTolerationComparisonOperators: {
    stages: { alpha: "1.35" },
    help: "tolerations of taints whose value is less or greater",
  },
  SELinuxChangePolicy: {
    stages: { alpha: "1.32", beta: "1.33", ga: "1.36" },
    help: "policy for SELinux labels of volumes",
  },
  ServiceTrafficDistribution: {
    stages: { alpha: "1.30", beta: "1.31", ga: "1.33" },
    removed: "1.36",
    help: "traffic distribution of services",
  },
  SidecarContainers: {
    stages: { alpha: "1.28", beta: "1.29", ga: "1.33" },
    help: "init containers that run as long as the pod",
  },
  StatefulSetStartOrdinal: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.31" },
    removed: "1.34",
    help: "first ordinal of stateful sets",
  },
  StrictIPCIDRValidation: {
    stages: { alpha: "1.33", beta: "1.36" },
    help: "rejection of IP addresses and CIDR ranges in ambiguous notations",
  },
  SupplementalGroupsPolicy: {
    stages: { alpha: "1.31", beta: "1.33", ga: "1.35" },
    help: "policy for supplemental groups of containers",
  },
  UserNamespacesSupport: {
    stages: { alpha: "1.25", beta: "1.30", ga: "1.36" },
    onSince: "1.33",
    help: "user namespaces of pods",
  },
  VolumeLimitScaling: { stages: { alpha: "1.35" }, help: "drivers without which pods are not scheduled on a node" },
} as const satisfies Readonly<Record<string, GateRow>>;
