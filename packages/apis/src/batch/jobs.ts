import { labelLikePods, podStrictFormats, templateWarnings } from "@orch/apis-core";
import { type BuiltInResource, count, objectAt, podFields, type RuleContext } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { countChange } from "./generation";
import { jobColumns } from "./job-columns";
import { jobFields } from "./job-fields";
import { matchTrueConditions } from "./job-policy-defaults";
import { selectOwnPods } from "./job-selector";
import { validateJobStatus } from "./job-status-validation";
import { validateJobUpdate } from "./job-update-validation";
import { validateJob } from "./job-validation";

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
    fields: { "spec.parallelism": 1 },
    then: (job) => limitRetries(objectAt(job, "spec")),
    gated: [
      { gate: "JobPodFailurePolicy", then: (job) => matchTrueConditions(objectAt(job, "spec")) },
      { gate: "IndexedJob", fields: { "spec.completionMode": "NonIndexed" } },
      { gate: "SuspendJob", fields: { "spec.suspend": false } },
      { gate: "JobPodReplacementPolicy", then: (job) => replacePods(objectAt(job, "spec")) },
    ],
  },
  rules: {
    nameFormat: "subdomain",
    declared: "first",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      ...podFields("spec.template.spec"),
      ...jobFields("spec"),
      IndexedJob: ["spec.completionMode"],
      SuspendJob: ["spec.suspend"],
      TTLAfterFinished: ["spec.ttlSecondsAfterFinished"],
    },
    create: (job, context) => {
      chooseSelection(job, context);
      selectOwnPods(job, context);
      if (context.features.since("1.27")) objectAt(job, "metadata")["generation"] = 1;
    },
    update: (job, old, context) => {
      chooseSelection(job, context);
      if (context.features.since("1.27")) countChange(job, old);
    },
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    strictFormats: podStrictFormats("spec.template.spec"),
    warnings: templateWarnings(["spec", "template"]),
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

/** Sets the default of `manualSelector`, which jobs have since 1.30. */
function chooseSelection(job: JsonObject, { features }: RuleContext): void {
  if (features.since("1.30")) objectAt(job, "spec")["manualSelector"] ??= false;
}

/** Sets the backoff limit. With a limit for each index, the job as a whole has none. */
function limitRetries(spec: JsonObject): void {
  spec["backoffLimit"] ??= spec["backoffLimitPerIndex"] == null ? 6 : 2 ** 31 - 1;
}

/** Replaces pods when they start to terminate, or only when they have failed if a policy counts failures. */
function replacePods(spec: JsonObject): void {
  spec["podReplacementPolicy"] ??= spec["podFailurePolicy"] == null ? "TerminatingOrFailed" : "Failed";
}
