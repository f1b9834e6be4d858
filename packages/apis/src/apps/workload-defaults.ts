// What kinds that run pods from a template have in common.
import { isObject, type JsonObject } from "@orch/schema";
import type { DefaultRule } from "../model/defaults/default-rules";
import { fieldAt, objectAt } from "../values/field-path";

const TEMPLATE_LABELS = ["spec", "template", "metadata", "labels"];

/** The labels of the pods to come; undefined where there are none. */
function templateLabels(object: JsonObject): JsonObject | undefined {
  const labels = fieldAt(object, TEMPLATE_LABELS);
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
}

/** An object without labels is labelled like its pods. */
export const labelLikePods: DefaultRule = (object) => {
  const labels = templateLabels(object);
  if (labels === undefined) return;
  const metadata = objectAt(object, "metadata");
  if (isBlank(metadata, "labels")) metadata["labels"] = { ...labels };
};

/** An object that does not say which pods are its own has those that look like its template. For maps of labels. */
export const selectPods: DefaultRule = (object) => {
  const labels = templateLabels(object);
  const spec = objectAt(object, "spec");
  if (labels !== undefined && isBlank(spec, "selector")) spec["selector"] = { ...labels };
};

/** An object without a selector selects the pods that look like its template. For selectors with expressions; an empty one is one. */
const selectPodsByMatch: DefaultRule = (object) => {
  const labels = templateLabels(object);
  const spec = objectAt(object, "spec");
  if (labels !== undefined && spec["selector"] == null) spec["selector"] = { matchLabels: { ...labels } };
};

/** Before 1.9 what an object selects and how it is labelled could be left out. */
export const likePods: DefaultRule = (object, vocabulary) => {
  selectPodsByMatch(object, vocabulary);
  labelLikePods(object, vocabulary);
};

/** Fills the parameters of rolling updates, for strategies that roll. */
export function rollBy(parameters: Readonly<Record<string, string | number>>): DefaultRule {
  return (strategy) => {
    if (strategy["type"] === "RollingUpdate") fillRolling(objectAt(strategy, "rollingUpdate"), parameters);
  };
}

export function fillRolling(rolling: JsonObject, parameters: Readonly<Record<string, string | number>>): void {
  for (const name in parameters) rolling[name] ??= parameters[name] as string | number;
}

function isBlank(object: JsonObject, field: string): boolean {
  const labels = object[field];
  return !isObject(labels) || Object.keys(labels).length === 0;
}
