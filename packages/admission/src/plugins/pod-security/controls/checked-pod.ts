// A pod or pod template as controls read it.
import type { coreV1, Vocabulary } from "@orch/schema";

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: coreV1.PodSpec;
  /** Empty when the pod has none. */
  readonly security: coreV1.PodSecurityContext;
  /** Init containers, containers, and ephemeral containers. */
  readonly containers: readonly CheckedContainer[];
  /** Annotation keys. */
  readonly keys: Vocabulary["annotations"];
}

export interface CheckedContainer {
  readonly name: string;
  readonly of: coreV1.Container | coreV1.EphemeralContainer;
  /** Empty when the container has none. */
  readonly security: coreV1.SecurityContext;
}

const NOTHING = Object.freeze({});

export function checkedPod(
  { annotations, spec }: { readonly annotations: CheckedPod["annotations"] | undefined; readonly spec: coreV1.PodSpec },
  keys: CheckedPod["keys"],
): CheckedPod {
  const containers: CheckedContainer[] = [];
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers]) {
    for (const of of list ?? []) containers.push({ name: of.name, of, security: of.securityContext ?? NOTHING });
  }
  return { annotations: annotations ?? NOTHING, spec, security: spec.securityContext ?? NOTHING, containers, keys };
}
