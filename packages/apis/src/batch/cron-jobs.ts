import {
  all,
  type BuiltInResource,
  cronSchedule,
  fields,
  nonNegative,
  nothing,
  oneOf,
  podFields,
  type Rule,
  required,
  validator,
} from "@orch/apis-model";
import type { batchV1 } from "@orch/schema";
import { cronJobColumns } from "./cron-job-columns";
import { jobPods } from "./job-validation";

/** Rejects a selector in the template: each job gets its own. */
const noSelector: Rule<batchV1.JobSpec> = ({ selector, manualSelector }, at, report) => {
  if (selector !== undefined) report.invalid(at.field("selector"), selector, "`selector` will be auto-generated");
  if (manualSelector === true) report.notSupported(at.field("manualSelector"), true, ["nil", "false"]);
};

/** Validation of cron jobs. Source: pkg/apis/batch/validation/validation.go. */
const validateCronJob = validator(
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

export const cronJobs = {
  group: "batch",
  kind: "CronJob",
  plural: "cronjobs",
  shortNames: ["cj"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.21" },
    {
      version: "v1beta1",
      introduced: "1.8",
      deprecated: "1.21",
      removed: "1.25",
      replacement: "batch/v1",
      orphansDependents: true,
    },
    { version: "v2alpha1", introduced: "1.5", removed: "1.21", orphansDependents: true },
  ],
  defaults: {
    fields: {
      "spec.concurrencyPolicy": "Allow",
      "spec.suspend": false,
      "spec.successfulJobsHistoryLimit": 3,
      "spec.failedJobsHistoryLimit": 1,
    },
  },
  rules: {
    nameFormat: "subdomain",
    nameMaxCharacters: 52,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      ...podFields("spec.jobTemplate.spec.template.spec"),
      TTLAfterFinished: ["spec.jobTemplate.spec.ttlSecondsAfterFinished"],
    },
    validate: validateCronJob,
  },
  subresources: { status: { keeps: ["spec"] } },
  selectableFields: { "status.successful": nothing },
  columns: cronJobColumns,
} as const satisfies BuiltInResource;
