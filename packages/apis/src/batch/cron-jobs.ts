import { podStrictFormats, templateWarnings } from "@orch/apis-core";
import {
  all,
  type BuiltInResource,
  cronSchedule,
  fieldAt,
  fields,
  isTimeZone,
  nonNegative,
  nothing,
  objectAt,
  oneOf,
  type Place,
  podFields,
  type Report,
  type Rule,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { type batchV1, isObject } from "@orch/schema";
import { cronJobColumns } from "./cron-job-columns";
import { countChange } from "./generation";
import { jobFields } from "./job-fields";
import { matchTrueConditions } from "./job-policy-defaults";
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

/** Time zone names: parts of up to 14 characters. Source: "Theory and pragmatics of the tz code and data", IANA. */
const ZONE_PART = /^(?!-)(?!\.{1,2}$)[A-Za-z.\-_0-9+]{1,14}$/;

const timeZone = (zone: string, at: Place, report: Report): void => {
  const place = at.field("timeZone");
  if (zone === "") report.invalid(place, zone, "timeZone must be nil or non-empty string");
  else if (zone.toLowerCase() === "local") {
    report.invalid(place, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  } else if (!zone.split("/").every((part) => ZONE_PART.test(part)) || !isTimeZone(zone)) {
    report.invalid(place, zone, `unknown time zone ${zone}`);
  }
};

const zoneInSchedule = (schedule: string, at: Place, report: Report): void => {
  if (!schedule.includes("TZ")) return;
  const text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
  report.invalid(at.field("schedule"), schedule, text);
};

const zoneByField = validator<batchV1.CronJob>(({ spec }, at, report) => {
  if (spec === undefined || !report.features.isOn("CronJobTimeZone")) return;
  if (spec.timeZone !== undefined) timeZone(spec.timeZone, at.field("spec"), report);
  if (report.features.since("1.29")) zoneInSchedule(spec.schedule, at.field("spec"), report);
});

/** A stored schedule with a zone may stay. */
const zoneByFieldAlone = updateValidator<batchV1.CronJob>(({ spec }, { spec: old }, at, report) => {
  if (spec === undefined || !report.features.isOn("CronJobTimeZone")) return;
  const place = at.field("spec");
  if (spec.timeZone !== undefined && spec.timeZone !== old?.timeZone) timeZone(spec.timeZone, place, report);
  if (!report.features.since("1.29")) return;
  if (old?.schedule.includes("TZ") !== true) zoneInSchedule(spec.schedule, place, report);
  else if (spec.schedule.includes("TZ") && spec.timeZone !== undefined) {
    const text = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    report.invalid(place.field("schedule"), spec.schedule, text);
  }
});

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
    gated: [
      {
        gate: "JobPodFailurePolicy",
        then: (cronJob) => {
          const spec = fieldAt(cronJob, ["spec", "jobTemplate", "spec"]);
          if (isObject(spec)) matchTrueConditions(spec);
        },
      },
    ],
  },
  rules: {
    nameFormat: "subdomain",
    declared: "first",
    nameMaxCharacters: 52,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      ...podFields("spec.jobTemplate.spec.template.spec"),
      ...jobFields("spec.jobTemplate.spec"),
      CronJobTimeZone: ["spec.timeZone"],
      TTLAfterFinished: ["spec.jobTemplate.spec.ttlSecondsAfterFinished"],
    },
    create: (cronJob, { features }) => {
      if (features.since("1.27")) objectAt(cronJob, "metadata")["generation"] = 1;
    },
    update: (cronJob, old, { features }) => {
      if (features.since("1.27")) countChange(cronJob, old);
    },
    validate: validateCronJob,
    validateCreate: zoneByField,
    validateUpdate: zoneByFieldAlone,
    strictFormats: podStrictFormats("spec.jobTemplate.spec.template.spec"),
    warnings: templateWarnings(["spec", "jobTemplate", "spec", "template"]),
  },
  subresources: { status: { keeps: ["spec"] } },
  selectableFields: { "status.successful": nothing },
  columns: cronJobColumns,
} as const satisfies BuiltInResource;
