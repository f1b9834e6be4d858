import type { BuiltInResource } from "../model/built-in-resource";
import { podFields } from "../model/features/gated-fields";
import { nothing } from "../model/selectable-fields";
import { cronJobColumns } from "./cron-job-columns";
import { validateCronJob } from "./cron-job-validation";

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
