// Feature gates of fields and labels. While one is disabled, its fields are dropped from requests, and its defaults are
// not applied. Source: Kubernetes documentation, "Feature Gates".
import type { GateRow } from "@orch/machinery";

export const FIELD_GATES = {
  AdmissionPolicies: {
    stages: { beta: "1.0" },
    help: "policies in CEL, the expression language of Kubernetes, that refuse and change requests, in every release",
  },
  APISelfSubjectReview: {
    stages: { beta: "1.0" },
    help: "everybody may ask who they are, in every release",
  },
  AnyVolumeDataSource: {
    stages: { alpha: "1.18", beta: "1.24" },
    help: "claims that begin with what objects of any kind hold",
  },
  CSIInlineVolume: {
    stages: { alpha: "1.15", beta: "1.16", ga: "1.25" },
    removed: "1.27",
    help: "volumes of drivers that live and die with a pod",
  },
  CSIMigration: {
    stages: { alpha: "1.14", beta: "1.17", ga: "1.25" },
    removed: "1.27",
    help: "attachments of volumes that pods name themselves",
  },
  CSRDuration: {
    stages: { beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "requests that say how long their certificate is good",
  },
  CSIServiceAccountToken: {
    stages: { alpha: "1.20", beta: "1.21", ga: "1.22" },
    removed: "1.25",
    help: "tokens of pods for drivers of volumes",
  },
  CSIStorageCapacity: {
    stages: { alpha: "1.19", beta: "1.21", ga: "1.24" },
    removed: "1.28",
    help: "drivers that say how much room they have",
  },
  CSIVolumeFSGroupPolicy: {
    stages: { alpha: "1.19", beta: "1.20", ga: "1.23" },
    removed: "1.25",
    help: "drivers that say whether volumes change owners",
  },
  DynamicResourceAllocation: { stages: { alpha: "1.26" }, help: "claims of pods to shared resources" },
  EndpointSliceNodeName: {
    stages: { alpha: "1.20", ga: "1.21" },
    removed: "1.25",
    help: "the nodes of endpoints",
  },
  EndpointSliceTerminatingCondition: {
    stages: { alpha: "1.20", beta: "1.22", ga: "1.26" },
    removed: "1.28",
    help: "endpoints that are about to end",
  },
  GenericEphemeralVolume: {
    stages: { alpha: "1.19", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "volumes that live and die with a pod",
  },
  HPAContainerMetrics: { stages: { alpha: "1.20" }, help: "autoscaling by what one container uses" },
  HPAScaleToZero: { stages: { alpha: "1.16" }, help: "autoscaling down to no pods" },
  IPv6DualStack: {
    stages: { alpha: "1.16", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "addresses of both families",
  },
  IndexedJob: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "jobs that number their pods",
  },
  MaxUnavailableStatefulSet: { stages: { alpha: "1.24" }, help: "rolling updates of several pods of a set at once" },
  MixedProtocolLBService: {
    stages: { alpha: "1.20", beta: "1.24", ga: "1.26" },
    removed: "1.28",
    help: "balancers of several protocols",
  },
  NamespaceDefaultLabelName: {
    stages: { beta: "1.21", ga: "1.22" },
    removed: "1.24",
    help: "namespaces that are labelled with their name",
  },
  NonPreemptingPriority: {
    stages: { alpha: "1.15", beta: "1.19", ga: "1.24" },
    removed: "1.26",
    help: "pods that come first without ending others",
  },
  PodOverhead: {
    stages: { alpha: "1.16", beta: "1.18", ga: "1.24" },
    removed: "1.26",
    help: "what running a pod costs beside its containers",
  },
  SELinuxMountReadWriteOncePod: { stages: { alpha: "1.25" }, help: "volumes that are mounted with a label" },
  ServiceInternalTrafficPolicy: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.26" },
    removed: "1.28",
    help: "services that stay on the node",
  },
  ServiceLBNodePortControl: {
    stages: { alpha: "1.20", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "balancers without ports of nodes",
  },
  ServiceLoadBalancerClass: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "balancers by class",
  },
  ServiceTopology: { stages: { alpha: "1.17" }, removed: "1.22", help: "services that prefer near endpoints" },
  StatefulSetAutoDeletePVC: { stages: { alpha: "1.23" }, help: "claims that go with their stateful set" },
  StatefulSetMinReadySeconds: {
    stages: { alpha: "1.22", beta: "1.23", ga: "1.25" },
    removed: "1.27",
    help: "pods of stateful sets that must have been ready for a while",
  },
  SuspendJob: {
    stages: { alpha: "1.21", beta: "1.22", ga: "1.24" },
    removed: "1.26",
    help: "jobs that wait",
  },
  TTLAfterFinished: {
    stages: { alpha: "1.12", beta: "1.21", ga: "1.23" },
    removed: "1.25",
    help: "jobs that are removed some time after their end",
  },
  TopologyAwareHints: {
    stages: { alpha: "1.21", beta: "1.23" },
    onSince: "1.24",
    help: "endpoints that say whom they are for",
  },
} as const satisfies Readonly<Record<string, GateRow>>;

export type FieldGate = keyof typeof FIELD_GATES;
