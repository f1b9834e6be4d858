// A daemon set's own count of its templates, from before objects had generations. v1 shows it in an annotation.
// Source: facts, strategy.json "daemonsets".
import type { JsonObject } from "@orch/schema";
import { fieldAt } from "../values/field-path";
import { putAnnotation, takeAnnotation } from "../values/metadata-annotations";
import { sameValue } from "../values/same-value";

/** The field's own name for it, in every vocabulary. */
export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** A client may begin higher, who moves the set from elsewhere. */
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

/** Takes the count off; 0 where there is none. */
function countOf(daemonSet: JsonObject): number {
  const count = takeAnnotation(daemonSet, TEMPLATE_GENERATION);
  return typeof count === "number" && Number.isSafeInteger(count) ? count : 0;
}
