// Drops fields of disabled features from requests, as if the server did not know them. An object that already has such
// fields keeps them and may change them. Source: Kubernetes API changes guide, "Alpha, Beta, and Stable Versions".
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { Features } from "./features";
import type { FieldGate } from "./field-gates";

/**
 * Paths keyed by feature gate, names separated by dots; `[]` after a list means each of its items, `{}` after a map
 * each of its values, and `?` after an object that it goes with its last field.
 */
export type GatedFields = { readonly [Gate in FieldGate]?: readonly string[] };

export type Dropper = (object: JsonObject, old?: JsonObject) => void;

/** Builds the function. @returns undefined when every gate is enabled or newer than the release */
export function dropperOf(gated: GatedFields, features: Features): Dropper | undefined {
  const off = (Object.entries(gated) as [FieldGate, readonly string[]][])
    .filter(([gate]) => features.isOff(gate))
    .map(([, paths]) => paths.map(stepsOf));
  if (off.length === 0) return undefined;
  return (object, old) => {
    for (const paths of off) {
      if (old !== undefined && paths.some((steps) => holds(old, steps))) continue;
      for (const steps of paths) drop(object, steps);
    }
  };
}

const EACH = "[]";
const EACH_VALUE = "{}";
const WITH_PARENT = "?";

const stepsOf = (path: string): readonly string[] =>
  path.replaceAll("[]", ".[]").replaceAll("{}", ".{}").replaceAll("?", ".?").split(".");

function holds(value: JsonValue | undefined, steps: readonly string[], at = 0): boolean {
  const step = steps[at];
  if (step === undefined) return value !== undefined && value !== null;
  if (step === WITH_PARENT) return holds(value, steps, at + 1);
  if (step === EACH) return Array.isArray(value) && value.some((item) => holds(item, steps, at + 1));
  if (!isObject(value)) return false;
  if (step === EACH_VALUE) return Object.values(value).some((item) => holds(item, steps, at + 1));
  return holds(value[step], steps, at + 1);
}

function drop(value: JsonValue | undefined, steps: readonly string[], at = 0): void {
  const step = steps[at] ?? "";
  if (step === EACH) {
    if (Array.isArray(value)) for (const item of value) drop(item, steps, at + 1);
  } else if (isObject(value)) {
    if (step === EACH_VALUE) for (const item of Object.values(value)) drop(item, steps, at + 1);
    else if (steps[at + 1] === WITH_PARENT) dropWithParent(value, steps, at);
    else if (at + 1 === steps.length) delete value[step];
    else drop(value[step], steps, at + 1);
  }
}

/** Drops the field, and the object that had it when no other field is left. An object without the field is kept. */
function dropWithParent(owner: JsonObject, steps: readonly string[], at: number): void {
  const name = steps[at] ?? "";
  const parent = owner[name];
  if (!isObject(parent) || !holds(parent, steps, at + 2)) return;
  drop(parent, steps, at + 2);
  if (Object.keys(parent).length === 0) delete owner[name];
}

/** Gated fields of a pod spec at the given path. */
export const podFields = (spec: string): GatedFields => {
  const containers = (field: string) =>
    ["containers", "initContainers", "ephemeralContainers"].map((list) => `${spec}.${list}[].${field}`);
  const probes = ["livenessProbe", "readinessProbe", "startupProbe"];
  const hooks = ["lifecycle.postStart", "lifecycle.preStop"];
  return {
    AtomicWriteVolumeUserFields: fileOwners(`${spec}.volumes[]`),
    ClusterTrustBundleProjection: [`${spec}.volumes[].projected.sources[].clusterTrustBundle`],
    ContainerRestartRules: [`${spec}.containers[].restartPolicy`, ...containers("restartPolicyRules")],
    ContainerStopSignals: containers("lifecycle?.stopSignal"),
    DynamicResourceAllocation: [`${spec}.resourceClaims`, ...containers("resources.claims")],
    EmptyDirVolumeMode: [`${spec}.volumes[].emptyDir.mode`],
    EnvFiles: containers("env[].valueFrom.fileKeyRef"),
    EvictionRequestAPI: [`${spec}.evictionResponders`],
    GRPCContainerProbeTLS: probes.flatMap((probe) => containers(`${probe}.grpc.mode`)),
    GenericEphemeralVolume: [`${spec}.volumes[].ephemeral`],
    GenericWorkload: [`${spec}.schedulingGroup`],
    H2CContainerProbe: [...probes, ...hooks].flatMap((action) => containers(`${action}.httpGet.protocol`)),
    HostnameOverride: [`${spec}.hostnameOverride`],
    ImageVolume: [`${spec}.volumes[].image`],
    InPlacePodVerticalScaling: containers("resizePolicy"),
    MatchLabelKeysInPodAffinity: affinityTerms(spec).flatMap((term) => [
      `${term}.matchLabelKeys`,
      `${term}.mismatchLabelKeys`,
    ]),
    MatchLabelKeysInPodTopologySpread: [`${spec}.topologySpreadConstraints[].matchLabelKeys`],
    NodeInclusionPolicyInPodTopologySpread: [
      `${spec}.topologySpreadConstraints[].nodeAffinityPolicy`,
      `${spec}.topologySpreadConstraints[].nodeTaintsPolicy`,
    ],
    NonPreemptingPriority: [`${spec}.preemptionPolicy`],
    PodCertificateRequest: [`${spec}.volumes[].projected.sources[].podCertificate`],
    PodLevelResources: [`${spec}.resources`],
    PodLifecycleSleepAction: hooks.flatMap((hook) => containers(`${hook}.sleep`)),
    PodOverhead: [`${spec}.overhead`],
    PodSchedulingReadiness: [`${spec}.schedulingGates`],
    RecursiveReadOnlyMounts: containers("volumeMounts[].recursiveReadOnly"),
    SELinuxChangePolicy: [`${spec}.securityContext.seLinuxChangePolicy`],
    SidecarContainers: [`${spec}.initContainers[].restartPolicy`],
    SupplementalGroupsPolicy: [`${spec}.securityContext.supplementalGroupsPolicy`],
    UserNamespacesSupport: [`${spec}.hostUsers`],
    VolumeBindMountOptions: containers("volumeMounts[].bindMountOptions"),
  };
};

/** Gated fields of the status of a pod. */
export const podStatusFields = (): GatedFields => {
  const statuses = (field: string) =>
    ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"].map(
      (list) => `status.${list}[].${field}`,
    );
  return {
    CSIVolumeHealth: ["status.volumeHealth"],
    DRAExtendedResource: ["status.extendedResourceClaimStatus"],
    DRANodeAllocatableResources: ["status.nodeAllocatableResourceClaimStatuses"],
    DynamicResourceAllocation: ["status.resourceClaimStatuses"],
    ImageVolumeWithDigest: statuses("volumeMounts[].volumeStatus"),
    InPlacePodLevelResourcesVerticalScaling: ["status.resources", "status.allocatedResources"],
    InPlacePodVerticalScaling: [...statuses("resources"), ...statuses("allocatedResources")],
    PodObservedGenerationTracking: ["status.observedGeneration", "status.conditions[].observedGeneration"],
    RecursiveReadOnlyMounts: statuses("volumeMounts"),
    ResourceHealthStatus: statuses("allocatedResourcesStatus"),
    SupplementalGroupsPolicy: statuses("user"),
  };
};

const affinityTerms = (spec: string): readonly string[] =>
  ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    `${spec}.affinity.${kind}.requiredDuringSchedulingIgnoredDuringExecution[]`,
    `${spec}.affinity.${kind}.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm`,
  ]);

function fileOwners(volume: string): readonly string[] {
  const sources = ["configMap", "downwardAPI", "secret"];
  const projected = `${volume}.projected`;
  return [
    ...sources.flatMap((source) => [`${volume}.${source}.defaultUser`, `${volume}.${source}.items[].user`]),
    `${projected}.defaultUser`,
    ...sources.map((source) => `${projected}.sources[].${source}.items[].user`),
    ...["clusterTrustBundle", "podCertificate", "serviceAccountToken"].map(
      (source) => `${projected}.sources[].${source}.user`,
    ),
  ];
}
