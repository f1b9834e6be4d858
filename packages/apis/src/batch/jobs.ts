import { labelLikePods } from "@orch/apis-core";
import { type BuiltInResource, count, objectAt, podFields } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { jobColumns } from "./job-columns";
import { selectOwnPods, validateJob, validateJobStatus, validateJobUpdate } from "./job-validation";

export const jobs = {
  group: "batch",
  kind: "Job",
  plural: "jobs",
  categories: ["all"],
  scope: "Namespaced",
  versions: [{ version: "v1", introduced: "1.2", orphansDependents: true }],
  defaults: {
    first: (job, vocabulary) => {
      labelLikePods(job, vocabulary);
      completeOnce(objectAt(job, "spec"));
    },
    fields: { "spec.parallelism": 1, "spec.backoffLimit": 6 },
    gated: [
      { gate: "IndexedJob", fields: { "spec.completionMode": "NonIndexed" } },
      { gate: "SuspendJob", fields: { "spec.suspend": false } },
    ],
  },
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      ...podFields("spec.template.spec"),
      IndexedJob: ["spec.completionMode"],
      SuspendJob: ["spec.suspend"],
      TTLAfterFinished: ["spec.ttlSecondsAfterFinished"],
    },
    create: selectOwnPods,
    validate: validateJob,
    validateUpdate: validateJobUpdate,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateJobStatus } },
  selectableFields: { "status.successful": count("status.succeeded") },
  columns: jobColumns,
} as const satisfies BuiltInResource;

/**
 * Sets `completions` to 1 when neither `completions` nor `parallelism` is set. With `parallelism` alone, the job is a
 * work queue.
 */
function completeOnce(spec: JsonObject): void {
  if (spec["completions"] == null && spec["parallelism"] == null) spec["completions"] = 1;
}
