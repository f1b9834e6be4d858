// Template generation of daemon sets, which predates metadata.generation. v1 has it in an annotation. Source:
// pkg/registry/apps/daemonset/strategy.go.

import { fieldAt, putAnnotation, sameValue, takeAnnotation } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

/** Annotation key; the same in every vocabulary. */
export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/**
 * Sets the first template generation. The client may set a higher one, for a daemon set that is moved from another
 * cluster.
 */
export function beginTemplates(daemonSet: JsonObject): void {
  putAnnotation(daemonSet, TEMPLATE_GENERATION, Math.max(1, countOf(daemonSet)));
}

export function countTemplates(daemonSet: JsonObject, old: JsonObject): void {
  const before = fieldAt(old, ["metadata", "annotations", TEMPLATE_GENERATION]);
  const count = typeof before === "string" ? Number(before) || 0 : 0;
  const changed = !sameValue(fieldAt(daemonSet, TEMPLATE), fieldAt(old, TEMPLATE));
  countOf(daemonSet);
  putAnnotation(daemonSet, TEMPLATE_GENERATION, Math.max(1, changed ? count + 1 : count));
}

const TEMPLATE = ["spec", "template"];

/** Removes and returns the count; 0 when there is none. */
function countOf(daemonSet: JsonObject): number {
  const count = takeAnnotation(daemonSet, TEMPLATE_GENERATION);
  return typeof count === "number" && Number.isSafeInteger(count) ? count : 0;
}
