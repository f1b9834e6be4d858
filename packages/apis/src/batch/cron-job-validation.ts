// Validation of cron jobs. Source: pkg/apis/batch/validation/validation.go.
import type { batchV1 } from "@orch/schema";
import { cronSchedule } from "../formats/cron-schedule";
import { nonNegative, oneOf } from "../formats/format-rules";
import { all, fields, type Rule, required, validator } from "../model/rules/rule";
import { jobPods } from "./job-validation";

/** Rejects a selector in the template: each job gets its own. */
const noSelector: Rule<batchV1.JobSpec> = ({ selector, manualSelector }, at, report) => {
  if (selector !== undefined) report.invalid(at.field("selector"), selector, "`selector` will be auto-generated");
  if (manualSelector === true) report.notSupported(at.field("manualSelector"), true, ["nil", "false"]);
};

export const validateCronJob = validator(
  fields<batchV1.CronJob>({
    spec: fields<batchV1.CronJobSpec>({
      schedule: required(cronSchedule),
      startingDeadlineSeconds: nonNegative,
      concurrencyPolicy: required(oneOf("Allow", "Forbid", "Replace")),
      jobTemplate: fields<batchV1.JobTemplateSpec>({ spec: all<batchV1.JobSpec>(jobPods, noSelector) }),
      successfulJobsHistoryLimit: nonNegative,
      failedJobsHistoryLimit: nonNegative,
    }),
  }),
);
