// Formats in the specification of a pod that newer releases restrict.
import type { StrictFormat } from "@orch/apis-model";

/** Paths below the specification of a pod. Source: pkg/apis/core/validation/validation.go. */
const FORMATS: Readonly<Record<string, StrictFormat>> = {
  "dnsConfig.nameservers[]": "address",
  "hostAliases[].ip": "address",
  "topologySpreadConstraints[].labelSelector": "selector",
  ...termSelectors("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
  ...termSelectors("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
  ...termSelectors("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
  ...termSelectors("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
  "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]": "nodeTerm",
};

function termSelectors(term: string): Readonly<Record<string, StrictFormat>> {
  return { [`${term}.labelSelector`]: "selector", [`${term}.namespaceSelector`]: "selector" };
}

/** Returns the formats by path in an object. @param path of the specification */
export function podStrictFormats(path: string): Readonly<Record<string, StrictFormat>> {
  return Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [`${path}.${name}`, format]));
}
