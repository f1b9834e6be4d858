// Validation of the status of jobs, which controllers other than the job controller may write. A rule applies when the
// update changes a field that it concerns. Source: KEP-4368, "Support managedBy field in Jobs";
// pkg/registry/batch/job/strategy.go; pkg/apis/batch/validation/validation.go.

import { fields, nonNegative, type Place, type Report, unchanged, updateValidator } from "@orch/apis-model";
import type { batchV1 } from "@orch/schema";
import { firstCommonIndex, parseIndexes } from "./completion-indexes";

const counts = fields<batchV1.JobStatus>({ active: nonNegative, succeeded: nonNegative, failed: nonNegative });
const newerCounts = fields<batchV1.JobStatus>({ ready: nonNegative, terminating: nonNegative });

export const validateJobStatus = updateValidator<batchV1.Job>((next, old, at, report) => {
  const place = at.field("status");
  const status = next.status ?? {};
  counts(status, place, report);
  if (report.features.since("1.27")) {
    newerCounts(status, place, report);
    uncountedPods(status, place.field("uncountedTerminatedPods"), report);
  }
  const states = { next: stateOf(next), old: stateOf(old) };
  if (report.features.isOn("JobManagedBy")) {
    transitions(states, place, report);
    indexes(states, place, report);
  }
  if (report.features.isOn("JobSuccessPolicy")) successCriteria(states, next, place, report);
});

function uncountedPods({ uncountedTerminatedPods: pods }: batchV1.JobStatus, at: Place, report: Report): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    pods?.[list]?.forEach((uid, position) => {
      const place = at.field(list).item(position);
      if (uid === "") report.invalid(place, uid, "must not be empty");
      else if (seen.has(uid)) report.duplicate(place, uid);
      seen.add(uid);
    });
  }
}

interface JobState {
  readonly spec: batchV1.JobSpec | undefined;
  readonly status: batchV1.JobStatus;
  readonly isTrue: (type: string) => boolean;
  readonly isFinished: boolean;
}

interface JobStates {
  readonly next: JobState;
  readonly old: JobState;
}

function stateOf({ spec, status = {} }: batchV1.Job): JobState {
  const held = new Set((status.conditions ?? []).flatMap(({ type, status: is }) => (is === "True" ? [type] : [])));
  const isTrue = (type: string): boolean => held.has(type as never);
  return { spec, status, isTrue, isFinished: isTrue("Complete") || isTrue("Failed") };
}

function transitions(states: JobStates, at: Place, report: Report): void {
  const { next, old } = states;
  const conditions = at.field("conditions");
  const refuse = (text: string) => report.invalid(conditions, null, text);
  const changes = (type: string) => next.isTrue(type) !== old.isTrue(type);
  const changed = (name: keyof batchV1.JobStatus) => !unchanged(next.status[name], old.status[name]);
  const finishes = next.isFinished !== old.isFinished;
  const { status, isFinished } = next;
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (old.isTrue(type) && !next.isTrue(type)) refuse(`cannot disable the terminal ${type}=True condition`);
  }
  if (next.isTrue("Complete")) {
    const completes = changes("Complete");
    if (next.isTrue("Failed") && (completes || changes("Failed"))) {
      refuse("cannot set Complete=True and Failed=true conditions");
    }
    if (next.isTrue("FailureTarget") && (completes || changes("FailureTarget"))) {
      refuse("cannot set Complete=True and FailureTarget=true conditions");
    }
    if (!next.isTrue("SuccessCriteriaMet") && (completes || changes("SuccessCriteriaMet"))) {
      refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
  }
  if (next.isTrue("Failed") && !next.isTrue("FailureTarget") && (changes("Failed") || changed("failedIndexes"))) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (isFinished && (status.active ?? 0) > 0 && (finishes || changed("active"))) {
    report.invalid(at.field("active"), status.active, "active>0 is invalid for finished job");
  }
  if (isFinished && (status.terminating ?? 0) > 0 && (finishes || changed("terminating"))) {
    report.invalid(at.field("terminating"), status.terminating, "terminating>0 is invalid for finished job");
  }
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (isFinished && succeeded.length + failed.length > 0 && (finishes || changed("uncountedTerminatedPods"))) {
    const place = at.field("uncountedTerminatedPods");
    report.invalid(place, status.uncountedTerminatedPods, "must be empty for finished job");
  }
  if (status.ready !== undefined && status.ready > (status.active ?? 0) && (changed("ready") || changed("active"))) {
    report.invalid(at.field("ready"), status.ready, "cannot set more ready pods than active");
  }
  times(states, at, report);
  counters(states, at, report);
}

function times({ next, old }: JobStates, at: Place, report: Report): void {
  const { startTime, completionTime } = next.status;
  const before = old.status;
  const starts = !unchanged(startTime, before.startTime);
  const ends = !unchanged(completionTime, before.completionTime);
  const completes = next.isTrue("Complete") !== old.isTrue("Complete");
  const place = at.field("completionTime");
  if (completes || ends) {
    if (completionTime !== undefined && !next.isTrue("Complete")) {
      report.invalid(place, completionTime, "cannot set completionTime when there is no Complete=True condition");
    }
    if (completionTime === undefined && next.isTrue("Complete")) {
      report.required(place, "completionTime is required for Complete jobs");
    }
  }
  if ((starts || ends) && startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    report.invalid(place, completionTime, "must be equal to or after `startTime`");
  }
  if (completionTime !== undefined && before.completionTime !== undefined && ends) {
    report.invalid(place, completionTime, "field is immutable");
  }
  const isEmptyAndSuspended = next.spec?.suspend === true && next.spec.completions === 0;
  const finishes = next.isFinished !== old.isFinished;
  if (startTime === undefined && next.isFinished && (finishes || starts) && !isEmptyAndSuspended) {
    report.required(at.field("startTime"), "startTime is required for finished job");
  }
  const resumes = old.isTrue("Suspended") && isFalse(next.status, "Suspended");
  if (before.startTime !== undefined && starts && next.spec?.suspend !== true && !resumes) {
    report.invalid(at.field("startTime"), startTime ?? null, "field is immutable for unsuspended job once set");
  }
}

const isFalse = ({ conditions = [] }: batchV1.JobStatus, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "False");

function counters({ next, old }: JobStates, at: Place, report: Report): void {
  const { failed = 0, succeeded = 0 } = next.status;
  if (failed < (old.status.failed ?? 0))
    report.invalid(at.field("failed"), failed, "cannot decrease the failed counter");
  // An indexed job with as many pods as completions can be scaled down.
  const { completionMode, completions, parallelism } = next.spec ?? {};
  if (completionMode === "Indexed" && completions === parallelism) return;
  if (succeeded < (old.status.succeeded ?? 0)) {
    report.invalid(at.field("succeeded"), succeeded, "cannot decrease the succeeded counter");
  }
}

function indexes({ next, old }: JobStates, at: Place, report: Report): void {
  const { completedIndexes = "", failedIndexes } = next.status;
  const completes = completedIndexes !== (old.status.completedIndexes ?? "");
  const fails = failedIndexes !== old.status.failedIndexes;
  if (!completes && !fails) return;
  const { completionMode, completions, backoffLimitPerIndex: limit } = next.spec ?? {};
  const [completed, failed] = [at.field("completedIndexes"), at.field("failedIndexes")];
  if (completes && completedIndexes !== "" && completionMode !== "Indexed") {
    const text = "cannot set non-empty completedIndexes when non-indexed completion mode";
    report.invalid(completed, completedIndexes, text);
  }
  if (fails && failedIndexes !== undefined && limit === undefined) {
    report.invalid(failed, failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if (completions === undefined) return;
  const done = parseIndexes(completedIndexes, completions);
  if (completes && "error" in done) {
    report.invalid(completed, completedIndexes, `error parsing completedIndexes: ${done.error}`);
  }
  if (failedIndexes === undefined) return;
  const lost = parseIndexes(failedIndexes, completions);
  if (fails && limit !== undefined && "error" in lost) {
    report.invalid(failed, failedIndexes, `error parsing failedIndexes: ${lost.error}`);
  }
  if ("error" in done || "error" in lost) return;
  const common = firstCommonIndex(done.intervals, lost.intervals);
  if (common !== undefined) {
    report.invalid(failed, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${common}`);
  }
}

function successCriteria({ next, old }: JobStates, { spec }: batchV1.Job, at: Place, report: Report): void {
  const place = at.field("conditions");
  const refuse = (text: string) => report.invalid(place, null, text);
  const met = next.isTrue("SuccessCriteriaMet");
  const wasMet = old.isTrue("SuccessCriteriaMet");
  if (met && next.isTrue("Failed")) refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && next.isTrue("FailureTarget")) {
    refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (spec?.successPolicy !== undefined && !met && next.isTrue("Complete")) {
    refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
  if (wasMet && !met) refuse("cannot disable the SuccessCriteriaMet=True condition");
  if (old.isTrue("Complete") && !wasMet && met) {
    refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}
