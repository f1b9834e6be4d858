// Drops fields of disabled features from requests, as if the server did not know them. An object that already has such
// fields keeps them and may change them. Source: Kubernetes API changes guide, "Alpha, Beta, and Stable Versions".
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { Features } from "./features";
import type { FieldGate } from "./field-gates";

/**
 * Paths keyed by feature gate, names separated by dots; `[]` after a list means each of its items, and `{}` after a map
 * each of its values.
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

const stepsOf = (path: string): readonly string[] => path.replaceAll("[]", ".[]").replaceAll("{}", ".{}").split(".");

function holds(value: JsonValue | undefined, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return value !== undefined && value !== null;
  if (step === EACH) return Array.isArray(value) && value.some((item) => holds(item, rest));
  if (!isObject(value)) return false;
  return step === EACH_VALUE ? Object.values(value).some((item) => holds(item, rest)) : holds(value[step], rest);
}

function drop(value: JsonValue | undefined, steps: readonly string[]): void {
  const [step = "", ...rest] = steps;
  if (step === EACH) {
    if (Array.isArray(value)) for (const item of value) drop(item, rest);
  } else if (isObject(value)) {
    if (step === EACH_VALUE) for (const item of Object.values(value)) drop(item, rest);
    else if (rest.length === 0) delete value[step];
    else drop(value[step], rest);
  }
}

/** Gated fields of a pod spec at the given path. */
export const podFields = (spec: string): GatedFields => {
  const containers = (field: string) => [`${spec}.containers[].${field}`, `${spec}.initContainers[].${field}`];
  return {
    ClusterTrustBundleProjection: [`${spec}.volumes[].projected.sources[].clusterTrustBundle`],
    ContainerRestartRules: [`${spec}.containers[].restartPolicy`, ...containers("restartPolicyRules")],
    ContainerStopSignals: containers("lifecycle.stopSignal"),
    DynamicResourceAllocation: [`${spec}.resourceClaims`, ...containers("resources.claims")],
    EnvFiles: containers("env[].valueFrom.fileKeyRef"),
    GenericEphemeralVolume: [`${spec}.volumes[].ephemeral`],
    GenericWorkload: [`${spec}.schedulingGroup`],
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
    PodLifecycleSleepAction: ["postStart", "preStop"].flatMap((hook) => containers(`lifecycle.${hook}.sleep`)),
    PodOverhead: [`${spec}.overhead`],
    PodSchedulingReadiness: [`${spec}.schedulingGates`],
    RecursiveReadOnlyMounts: containers("volumeMounts[].recursiveReadOnly"),
    SELinuxChangePolicy: [`${spec}.securityContext.seLinuxChangePolicy`],
    SidecarContainers: [`${spec}.initContainers[].restartPolicy`],
    SupplementalGroupsPolicy: [`${spec}.securityContext.supplementalGroupsPolicy`],
    UserNamespacesSupport: [`${spec}.hostUsers`],
  };
};

const affinityTerms = (spec: string): readonly string[] =>
  ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    `${spec}.affinity.${kind}.requiredDuringSchedulingIgnoredDuringExecution[]`,
    `${spec}.affinity.${kind}.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm`,
  ]);
