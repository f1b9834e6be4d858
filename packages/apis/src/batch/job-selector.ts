// How a job finds its pods: by its own uid, which it writes on them. Source: facts, strategy.json "jobs".
import { isObject, type JsonObject } from "@orch/schema";
import { fieldAt, objectAt } from "../values/field-path";

export const BY_UID = "controller-uid";
export const BY_NAME = "job-name";

/** Nothing for who wants to select by hand. What the client says already is left for validation to judge. */
export function selectOwnPods(job: JsonObject): void {
  const spec = objectAt(job, "spec");
  if (spec["manualSelector"] === true) return;
  const { name = "", uid = "" } = objectAt(job, "metadata");
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  labels[BY_UID] ??= uid;
  labels[BY_NAME] ??= name;
  objectAt(objectAt(spec, "selector"), "matchLabels")[BY_UID] ??= labels[BY_UID];
  if (!hasLabels(job)) objectAt(job, "metadata")["labels"] = { ...labels };
}

function hasLabels(job: JsonObject): boolean {
  const labels = fieldAt(job, ["metadata", "labels"]);
  return isObject(labels) && Object.keys(labels).length > 0;
}
