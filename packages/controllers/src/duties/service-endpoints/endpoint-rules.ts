// What releases do differently with the endpoints of services. Each row names the release that began, or the last that did.
// Source: facts, controllers.md "endpoint, endpointslice"; lifecycle.json for the versions of slices.
import { compareReleases } from "@orch/schema";

export interface EndpointRules {
  /** Undefined: there are none. */
  readonly sliceVersion: "v1" | "v1beta1" | undefined;
  readonly mirrors: boolean;
  /** Whether a reference to a pod says which version of it was seen. */
  readonly namesPodVersion: boolean;
  /** Whether pods that have ended are left out whatever their restart policy. */
  readonly leavesOutEnded: boolean;
  /** Whether slices hold pods that are being deleted too, and say so. */
  readonly showsTerminating: boolean;
  /** What becomes of more addresses than one object of endpoints should hold. */
  readonly overCapacity: "kept" | "told" | "cut";
  /** Whether services that only stand for a name outside have endpoints. */
  readonly followsExternalNames: boolean;
  /** Whether slices have the labels of their service. */
  readonly copiesServiceLabels: boolean;
  /** Whether mirrors have the annotations of what they mirror. */
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
    overCapacity: since("1.22") ? "cut" : since("1.21") ? "told" : "kept",
    followsExternalNames: !since("1.24"),
    copiesServiceLabels: since("1.20"),
    mirrorsAnnotations: since("1.20"),
  };
}
