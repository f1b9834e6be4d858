// The part that pods and pod templates have in common, with its place in the object.
import { objectsAt } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

/** A pod, or a pod template. */
export interface PodShape {
  /** Path of the object with a final dot; empty for a pod itself. */
  readonly at: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

export interface PlacedContainer {
  readonly container: JsonObject;
  readonly at: string;
}

/** Returns the containers of all lists. */
export function containersOf({ at, spec }: PodShape): PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    objectsAt(spec, field).map((container, position) => ({ container, at: `${at}spec.${field}[${position}]` })),
  );
}
