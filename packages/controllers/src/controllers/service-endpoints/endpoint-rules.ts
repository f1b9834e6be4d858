// Differences between releases in the handling of endpoints. Each row names the first release with the behaviour, or
// the last one.
// Source: Kubernetes documentation, "EndpointSlices" and "Deprecated API Migration Guide".
import { compareReleases } from "@orch/schema";

export interface EndpointRules {
  /** Undefined: the release has no endpoint slices. */
  readonly sliceVersion: "v1" | "v1beta1" | undefined;
  readonly mirrors: boolean;
  /** Whether a reference to a pod contains its resource version. */
  readonly namesPodVersion: boolean;
  /** Whether terminated pods are left out regardless of their restart policy. */
  readonly leavesOutEnded: boolean;
  /** Whether slices contain terminating pods, with the condition. */
  readonly showsTerminating: boolean;
  /** Whether endpoints have hints by the traffic distribution of their service. */
  readonly setsHints: boolean;
  /** Treatment of addresses beyond the capacity of one Endpoints object. */
  readonly overCapacity: "kept" | "told" | "cut";
  /** Whether services of type ExternalName have endpoints. */
  readonly followsExternalNames: boolean;
  /** Whether slices have the labels of their service. */
  readonly copiesServiceLabels: boolean;
  /** Whether mirrored slices have the annotations of their Endpoints object. */
  readonly mirrorsAnnotations: boolean;
}

export function endpointRules(release: string): EndpointRules {
  const since = (first: string) => compareReleases(release, first) >= 0;
  return {
    sliceVersion: since("1.21") ? "v1" : since("1.17") ? "v1beta1" : undefined,
    mirrors: since("1.19"),
    namesPodVersion: !since("1.24"),
    leavesOutEnded: since("1.22"),
    showsTerminating: since("1.22"),
    setsHints: since("1.31"),
    overCapacity: since("1.22") ? "cut" : since("1.21") ? "told" : "kept",
    followsExternalNames: !since("1.24"),
    copiesServiceLabels: since("1.20"),
    mirrorsAnnotations: since("1.20"),
  };
}
