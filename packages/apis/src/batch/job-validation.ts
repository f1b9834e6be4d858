// Validation of jobs. Source: pkg/apis/batch/validation/validation.go.

import { podTemplateSpec } from "@orch/apis-core";
import {
  all,
  changes,
  fieldAt,
  fields,
  immutable,
  labelSelector,
  nonNegative,
  objectAt,
  oneOf,
  type Place,
  type Report,
  type Rule,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { type batchV1, type coreV1, isObject, type JsonObject } from "@orch/schema";
import { selects, selectsItsOwn } from "../apps/replicated-pods";

const counts = fields<batchV1.JobSpec>({
  parallelism: nonNegative,
  completions: nonNegative,
  activeDeadlineSeconds: nonNegative,
  backoffLimit: nonNegative,
  ttlSecondsAfterFinished: nonNegative,
});

const mayEnd = oneOf("OnFailure", "Never");

/** Rejects the restart policy Always, with which a pod never completes. */
function checkRestartPolicy({ spec }: coreV1.PodTemplateSpec, at: Place, report: Report): void {
  const policy: string = spec?.restartPolicy ?? "";
  const place = at.field("spec").field("restartPolicy");
  if (policy === "" || policy === "Always") report.required(place, 'valid values: "OnFailure", "Never"');
  else mayEnd(policy, place, report);
}

/** Pod label of a job's uid, by which a generated selector selects. Source: pkg/registry/batch/job/strategy.go. */
const BY_UID = "controller-uid";
const BY_NAME = "job-name";

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

/** Rules of jobs and job templates. */
export const jobPods: Rule<batchV1.JobSpec> = (spec, at, report) => {
  counts(spec, at, report);
  podTemplateSpec(spec.template, at.field("template"), report);
  checkRestartPolicy(spec.template, at.field("template"), report);
};

/** Requires the generated selector unless `manualSelector` is set. */
const generatedSelector: Rule<batchV1.Job> = ({ metadata = {}, spec }, at, report) => {
  if (spec === undefined || spec.manualSelector === true || spec.selector === undefined) return;
  const { uid = "", name = "" } = metadata;
  if (uid === "") report.required(at.field("metadata").field("uid"));
  const expected = { [BY_UID]: uid, [BY_NAME]: name };
  const labels = spec.template.metadata?.labels ?? {};
  const place = at.field("spec").field("template").field("metadata").field("labels");
  for (const [key, value] of Object.entries(expected)) {
    if (labels[key] === undefined) report.required(place.key(key), `must be '${value}'`);
    else if (labels[key] !== value) report.invalid(place.key(key), labels[key], `must be '${value}'`);
  }
  if (!selects(spec.selector, expected)) {
    report.invalid(at.field("spec").field("selector"), spec.selector, "`selector` not auto-generated");
  }
};

export const validateJob = validator(
  all<batchV1.Job>(
    generatedSelector,
    fields<batchV1.Job>({
      spec: all<batchV1.JobSpec>(
        jobPods,
        fields<batchV1.JobSpec>({ selector: required(labelSelector) }),
        selectsItsOwn,
      ),
    }),
  ),
);

export const validateJobUpdate = updateValidator<batchV1.Job>(
  changes<batchV1.Job>({
    spec: changes<batchV1.JobSpec>({ completions: immutable, selector: immutable, template: immutable }),
  }),
);

const status = fields<batchV1.Job>({
  status: fields<batchV1.JobStatus>({ active: nonNegative, succeeded: nonNegative, failed: nonNegative }),
});

export const validateJobStatus = updateValidator<batchV1.Job>((next, _old, at, report) => status(next, at, report));
