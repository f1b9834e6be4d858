// Validation of jobs. Source: pkg/apis/batch/validation/validation.go.

import { podTemplateSpec } from "@orch/apis-core";
import {
  all,
  fields,
  labelSelector,
  nonNegative,
  oneOf,
  type Place,
  type Report,
  type Rule,
  required,
  validator,
} from "@orch/apis-model";
import type { batchV1, coreV1 } from "@orch/schema";
import { selectsItsOwn } from "../apps/replicated-pods";
import { jobPolicies } from "./job-policies-validation";
import { generatedSelector } from "./job-selector";

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

/** Rules of jobs and job templates. */
export const jobPods: Rule<batchV1.JobSpec> = (spec, at, report) => {
  counts(spec, at, report);
  jobPolicies(spec, at, report);
  podTemplateSpec(spec.template, at.field("template"), report);
  checkRestartPolicy(spec.template, at.field("template"), report);
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
