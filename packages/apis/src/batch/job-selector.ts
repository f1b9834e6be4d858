// Generated selector of jobs: the job's uid as a pod label. Source: pkg/registry/batch/job/strategy.go.
import { isObject, type JsonObject } from "@orch/schema";
import { fieldAt, objectAt } from "../values/field-path";

export const BY_UID = "controller-uid";
export const BY_NAME = "job-name";

/** Sets the selector and labels unless `manualSelector` is set. Values set by the client are left to validation. */
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
