// Feature gates of fields and labels. While one is disabled, its fields are dropped from requests, and its defaults are
// not applied. Source: Kubernetes documentation, "Feature Gates".
import type { GateRow } from "@orch/machinery";
import { WORKLOAD_GATES } from "./workload-gates";

export const FIELD_GATES = {
  ...WORKLOAD_GATES,
  AdmissionPolicies: {
    stages: { beta: "1.0" },
    help: "admission policies in CEL that validate and mutate requests, in every release",
  },
  APISelfSubjectReview: {
    stages: { beta: "1.0", ga: "1.28" },
    removed: "1.30",
    help: "SelfSubjectReview in every release",
  },
  AnyVolumeDataSource: {
    stages: { alpha: "1.18", beta: "1.24", ga: "1.33" },
    help: "volume claims populated from objects of any kind",
  },
  AtomicWriteVolumeUserFields: { stages: { alpha: "1.37" }, help: "owners of the files in projected volumes" },
  CRDObservedGenerationTracking: {
    stages: { beta: "1.35" },
    onSince: "1.36",
    help: "the observed generation in the status of custom resource definitions",
  },
  CRDValidationRatcheting: {
    stages: { alpha: "1.28", beta: "1.30", ga: "1.33" },
    help: "updates of custom objects with unchanged values that their schema no longer allows",
  },
  CustomResourceFieldSelectors: {
    stages: { alpha: "1.30", beta: "1.31", ga: "1.32" },
    help: "field selectors of custom resources",
  },
  CSIInlineVolume: {
    stages: { alpha: "1.15", beta: "1.16", ga: "1.25" },
    removed: "1.27",
    help: "ephemeral inline volumes of CSI drivers",
  },
  CSIMigration: {
    stages: { alpha: "1.14", beta: "1.17", ga: "1.25" },
    removed: "1.27",
    help: "attachments of volumes that pods name inline",
  },
  CSRDuration: {
    stages: { beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "requested duration of certificates",
  },
  CSIServiceAccountToken: {
    stages: { alpha: "1.20", beta: "1.21", ga: "1.22" },
    removed: "1.25",
    help: "pod tokens for CSI drivers",
  },
  CSIServiceAccountTokenSecrets: {
    stages: { beta: "1.35", ga: "1.36" },
    help: "pod tokens for CSI drivers as secrets of the request",
  },
  CSIStorageCapacity: {
    stages: { alpha: "1.19", beta: "1.21", ga: "1.24" },
    removed: "1.28",
    help: "storage capacity of CSI drivers",
  },
  CSIVolumeHealth: { stages: { alpha: "1.21" }, help: "health of volumes and of the storage of nodes" },
  CSIVolumeFSGroupPolicy: {
    stages: { alpha: "1.19", beta: "1.20", ga: "1.23" },
    removed: "1.25",
    help: "volume ownership policy of CSI drivers",
  },
  ClusterTrustBundle: {
    stages: { alpha: "1.27", beta: "1.33", ga: "1.37" },
    onSince: "1.37",
    lockedSince: "1.38",
    help: "the kind ClusterTrustBundle, and the bundle with the CA of the API server",
  },
  CompositePodGroup: { stages: { alpha: "1.37" }, help: "the kind CompositePodGroup" },
  CoordinatedLeaderElection: {
    stages: { alpha: "1.31", beta: "1.33" },
    onSince: "1.38",
    help: "leases whose holder is chosen by a strategy",
  },
  CrossNamespaceVolumeDataSource: {
    stages: { alpha: "1.26" },
    help: "volume claims populated from objects of other namespaces",
  },
  DRAAdminAccess: {
    stages: { alpha: "1.32", beta: "1.34", ga: "1.36" },
    help: "administrative access to devices in namespaces that permit it",
  },
  DRAConsumableCapacity: {
    stages: { alpha: "1.34", beta: "1.36" },
    help: "devices whose capacity several claims share",
  },
  DRADeviceBindingConditions: {
    stages: { alpha: "1.34", beta: "1.36" },
    help: "conditions of devices before a pod is bound to its node",
  },
  DRADeviceTaintRules: {
    stages: { alpha: "1.35", beta: "1.36", ga: "1.37" },
    onSince: "1.37",
    lockedSince: "1.38",
    help: "eviction of pods by device taint rules",
  },
  DRADeviceTaints: {
    stages: { alpha: "1.33", beta: "1.36", ga: "1.37" },
    lockedSince: "1.38",
    help: "taints of devices",
  },
  DRAExtendedResource: {
    stages: { alpha: "1.34", beta: "1.36", ga: "1.37" },
    help: "extended resources that devices serve",
  },
  DRAListTypeAttributes: { stages: { alpha: "1.36" }, help: "attributes of devices with several values" },
  DRANodeAllocatableResources: {
    stages: { alpha: "1.36" },
    help: "resources of the node that devices use",
  },
  DRAOptionalNodeOperations: { stages: { alpha: "1.37" }, help: "devices that need no operations of the node" },
  DRAPartitionableDevices: {
    stages: { alpha: "1.33", beta: "1.36" },
    help: "devices that share counters",
  },
  DRAPartitionableDevicesType: { stages: { alpha: "1.37" }, help: "types of the partitions of devices" },
  DRAPrioritizedList: {
    stages: { alpha: "1.33", beta: "1.34", ga: "1.36" },
    lockedSince: "1.37",
    help: "alternatives in requests of devices",
  },
  DRAResourceClaimGranularStatusAuthorization: {
    stages: { beta: "1.36" },
    help: "permissions for parts of the status of claims",
  },
  DRAResourceClaimDeviceStatus: {
    stages: { alpha: "1.32", beta: "1.33", ga: "1.37" },
    help: "reports of drivers in the status of claims",
  },
  DRAResourcePoolStatus: { stages: { alpha: "1.36" }, help: "answers to requests for the status of device pools" },
  DRAWorkloadResourceClaims: {
    stages: { alpha: "1.36", beta: "1.37" },
    onSince: "1.38",
    help: "resource claims that the pods of a group share",
  },
  DynamicResourceAllocation: {
    stages: { alpha: "1.26", beta: "1.32", ga: "1.34" },
    onSince: "1.34",
    lockedSince: "1.35",
    help: "resource claims of pods",
  },
  EmptyDirVolumeMode: { stages: { alpha: "1.37" }, help: "modes of emptyDir volumes" },
  EndpointSliceNodeName: {
    stages: { alpha: "1.20", ga: "1.21" },
    removed: "1.25",
    help: "node names of endpoints",
  },
  EndpointSliceTerminatingCondition: {
    stages: { alpha: "1.20", beta: "1.22", ga: "1.26" },
    removed: "1.28",
    help: "conditions of terminating endpoints",
  },
  EvictionRequestAPI: { stages: { alpha: "1.37" }, help: "responders to requests for the eviction of a pod" },
  GRPCContainerProbeTLS: { stages: { alpha: "1.37" }, help: "gRPC probes over TLS" },
  GenericEphemeralVolume: {
    stages: { alpha: "1.19", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "ephemeral volumes",
  },
  GenericWorkload: {
    stages: { alpha: "1.35", beta: "1.37" },
    onSince: "1.38",
    help: "the kinds Workload and PodGroup",
  },
  H2CContainerProbe: { stages: { alpha: "1.37" }, help: "HTTP probes over HTTP/2 without TLS" },
  HPAContainerMetrics: {
    stages: { alpha: "1.20", beta: "1.27", ga: "1.30" },
    removed: "1.32",
    help: "autoscaling by the usage of one container",
  },
  HPAScaleToZero: { stages: { alpha: "1.16" }, help: "autoscaling to zero pods" },
  IPv6DualStack: {
    stages: { alpha: "1.16", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "IPv4 and IPv6 addresses of services and pods",
  },
  InPlacePodVerticalScalingSchedulerPreemption: {
    stages: { alpha: "1.37" },
    help: "preemption of pods in favor of resized pods",
  },
  IndexedJob: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "jobs with indexed pods",
  },
  MaxUnavailableStatefulSet: {
    stages: { alpha: "1.24", beta: "1.35" },
    onSince: "1.38",
    help: "rolling updates of several pods of a stateful set at a time",
  },
  MixedProtocolLBService: {
    stages: { alpha: "1.20", beta: "1.24", ga: "1.26" },
    removed: "1.28",
    help: "load balancers with several protocols",
  },
  NamespaceDefaultLabelName: {
    stages: { beta: "1.21", ga: "1.22" },
    removed: "1.24",
    help: "label of namespaces with their name",
  },
  NonPreemptingPriority: {
    stages: { alpha: "1.15", beta: "1.19", ga: "1.24" },
    removed: "1.26",
    help: "pod priority without preemption",
  },
  PodGroupPreemptionPolicy: { stages: { alpha: "1.37" }, help: "whether pod groups take the place of other pods" },
  PodOverhead: {
    stages: { alpha: "1.16", beta: "1.18", ga: "1.24" },
    removed: "1.26",
    help: "overhead of pods beside their containers",
  },
  SELinuxMountReadWriteOncePod: {
    stages: { alpha: "1.25", beta: "1.27", ga: "1.36" },
    onSince: "1.28",
    help: "volumes mounted with an SELinux label",
  },
  ServiceInternalTrafficPolicy: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.26" },
    removed: "1.28",
    help: "node-local traffic policy of services",
  },
  ServiceLBNodePortControl: {
    stages: { alpha: "1.20", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "load balancers without node ports",
  },
  ServiceLoadBalancerClass: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "load balancer classes",
  },
  ServiceTopology: {
    stages: { alpha: "1.17" },
    removed: "1.22",
    help: "services that prefer topologically close endpoints",
  },
  StatefulSetAutoDeletePVC: {
    stages: { alpha: "1.23", beta: "1.27", ga: "1.32" },
    removed: "1.35",
    help: "deletion of volume claims with their stateful set",
  },
  StatefulSetMinReadySeconds: {
    stages: { alpha: "1.22", beta: "1.23", ga: "1.25" },
    removed: "1.27",
    help: "minReadySeconds of stateful sets",
  },
  StorageVersionMigrator: {
    stages: { alpha: "1.30", beta: "1.35", ga: "1.37" },
    onSince: "1.37",
    lockedSince: "1.38",
    help: "the kind StorageVersionMigration",
  },
  SuspendJob: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "suspended jobs",
  },
  TTLAfterFinished: {
    stages: { alpha: "1.12", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "deletion of finished jobs after a delay",
  },
  TopologyAwareWorkloadScheduling: {
    stages: { alpha: "1.36" },
    help: "pod groups that are placed close together",
  },
  MultiCIDRServiceAllocator: {
    stages: { alpha: "1.27", beta: "1.31", ga: "1.33" },
    onSince: "1.33",
    lockedSince: "1.34",
    help: "addresses of services from ServiceCIDRs",
  },
  VolumeAttributesClass: {
    stages: { alpha: "1.29", beta: "1.31", ga: "1.34" },
    onSince: "1.34",
    lockedSince: "1.36",
    help: "attributes of volumes that can be changed by naming another class",
  },
  VolumeBindMountOptions: { stages: { alpha: "1.37" }, help: "options of bind mounts" },
  TopologyAwareHints: {
    stages: { alpha: "1.21", beta: "1.23", ga: "1.33" },
    onSince: "1.24",
    removed: "1.36",
    help: "topology hints of endpoints",
  },
  WorkloadAwarePreemption: {
    stages: { alpha: "1.36", beta: "1.37" },
    help: "priority of pod groups, and their disruption as a whole",
  },
  WorkloadWithJob: {
    stages: { alpha: "1.36" },
    help: "workloads of gang jobs, and permissions of the job controller on them",
  },
} as const satisfies Readonly<Record<string, GateRow>>;

export type FieldGate = keyof typeof FIELD_GATES;
