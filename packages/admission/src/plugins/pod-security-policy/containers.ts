// All containers of a pod with their field paths.
import type { coreV1 } from "@orch/schema";

export const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

export interface PlacedContainer {
  readonly container: coreV1.Container;
  readonly path: string;
}

export function* containersOf(spec: coreV1.PodSpec): Iterable<PlacedContainer> {
  for (const list of CONTAINER_LISTS) {
    for (const [position, container] of (spec[list] ?? []).entries()) {
      yield { container: container as coreV1.Container, path: `spec.${list}[${position}]` };
    }
  }
}
