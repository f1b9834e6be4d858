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
import { label1123Errors } from "@orch/machinery";
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

/** Requires names with an index, which the pods of an indexed job get, to be host names. */
const hostNames: Rule<batchV1.Job> = ({ metadata, spec }, at, report) => {
  const { completions = 0, completionMode } = spec ?? {};
  if (completionMode !== "Indexed" || completions <= 0 || !report.features.since("1.27")) return;
  const name = metadata?.name ?? "";
  const last = `${name}-${completions - 1}`;
  if (label1123Errors(last).length === 0) return;
  report.invalid(
    at.field("metadata").field("name"),
    name,
    `will not able to create pod with invalid DNS label: ${last}`,
  );
};

export const validateJob = validator(
  all<batchV1.Job>(
    generatedSelector,
    hostNames,
    fields<batchV1.Job>({
      spec: all<batchV1.JobSpec>(
        jobPods,
        fields<batchV1.JobSpec>({ selector: required(labelSelector) }),
        selectsItsOwn,
      ),
    }),
  ),
);
