// Versions of the kinds of devices and claims, which have the same stages. Source: k8s.io/api/resource, the lifecycle
// markers of each version.
import type { BuiltInVersion } from "@orch/apis-model";

const V1 = { version: "v1", introduced: "1.34" } as const satisfies BuiltInVersion;
const V1BETA2 = {
  version: "v1beta2",
  introduced: "1.33",
  deprecated: "1.36",
  removed: "1.39",
  replacement: "resource/v1",
} as const satisfies BuiltInVersion;

/** Versions with the shape of the hub. */
export const HUB_VERSIONS = [V1, V1BETA2] as const;

/** The oldest version, whose claims and slices have another shape. */
export const V1BETA1 = {
  version: "v1beta1",
  introduced: "1.32",
  deprecated: "1.35",
  removed: "1.38",
  replacement: "resource/v1",
} as const satisfies BuiltInVersion;
