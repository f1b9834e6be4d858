// Defaults of the pod failure policy of jobs and of the templates of cron jobs.
import { fieldAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/**
 * Makes each pattern of a pod's condition match the status True unless it names another one. Source: Kubernetes
 * documentation, "Handling retriable and non-retriable pod failures with Pod failure policy".
 */
export function matchTrueConditions(spec: JsonObject): void {
  const policy = fieldAt(spec, ["podFailurePolicy"]);
  if (!isObject(policy)) return;
  for (const rule of objectsAt(policy, "rules")) {
    for (const pattern of objectsAt(rule, "onPodConditions")) pattern["status"] ||= "True";
  }
}
