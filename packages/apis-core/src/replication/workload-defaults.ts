// Defaults of kinds that create pods from a template.

import { type DefaultRule, fieldAt, objectAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

const TEMPLATE_LABELS = ["spec", "template", "metadata", "labels"];

/** Returns the labels of the pod template; undefined when there are none. */
function templateLabels(object: JsonObject): JsonObject | undefined {
  const labels = fieldAt(object, TEMPLATE_LABELS);
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
}

/** Copies the labels of the pod template to an object without labels. */
export const labelLikePods: DefaultRule = (object) => {
  const labels = templateLabels(object);
  if (labels === undefined) return;
  const metadata = objectAt(object, "metadata");
  if (!isBlank(metadata, "labels")) return;
  const copy = { ...labels };
  copied.add(copy);
  metadata["labels"] = copy;
};

const copied = new WeakSet<object>();

/** Returns whether labels are those that `labelLikePods` has copied from the template of the same object. */
export const areLabelsOfPods = (labels: JsonValue | undefined): boolean => isObject(labels) && copied.has(labels);

/** Sets the selector of an object without one to the labels of its template. Used for label maps. */
export const selectPods: DefaultRule = (object) => {
  const labels = templateLabels(object);
  const spec = objectAt(object, "spec");
  if (labels !== undefined && isBlank(spec, "selector")) spec["selector"] = { ...labels };
};

/**
 * Sets the selector of an object without one to the labels of its template. Used for label selectors; an empty one is a
 * selector.
 */
const selectPodsByMatch: DefaultRule = (object) => {
  const labels = templateLabels(object);
  const spec = objectAt(object, "spec");
  if (labels !== undefined && spec["selector"] == null) spec["selector"] = { matchLabels: { ...labels } };
};

/** Sets selector and labels, as versions before apps/v1 do. */
export const likePods: DefaultRule = (object, vocabulary) => {
  selectPodsByMatch(object, vocabulary);
  labelLikePods(object, vocabulary);
};

/** Sets the parameters of rolling updates when the type is RollingUpdate. */
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
