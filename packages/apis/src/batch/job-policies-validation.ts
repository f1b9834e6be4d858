// Validation of the policies of jobs for failed pods, for success, and for each index. Source: KEP-3329, "Retriable and
// non-retriable Pod failures for Jobs"; KEP-3850, "Backoff Limit Per Index"; KEP-3998, "Job success/completion policy";
// pkg/apis/batch/validation/validation.go.

import {
  domainPrefixedPath,
  fields,
  nonNegative,
  oneOf,
  type Place,
  qualifiedName,
  type Report,
  type Rule,
  required,
} from "@orch/apis-model";
import type { batchV1 } from "@orch/schema";
import { parseIndexes } from "./completion-indexes";

const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const PATTERNS_MAX = 20;
const MANAGED_BY_MAX = 63;
const INDEXES_TEXT_MAX = 64 * 1024;
const INDEXED_PODS_MAX = 100_000;
const MANY_COMPLETIONS = 100_000;
const MANY_COMPLETIONS_PODS_MAX = 10_000;

const isIndexed = ({ completionMode }: batchV1.JobSpec): boolean => completionMode === "Indexed";

export const jobPolicies: Rule<batchV1.JobSpec> = (spec, at, report) => {
  const { features } = report;
  if (features.isOn("JobBackoffLimitPerIndex")) limitsPerIndex(spec, at, report);
  if (features.isOn("JobManagedBy") && spec.managedBy !== undefined) managedBy(spec.managedBy, at, report);
  if (features.isOn("JobPodFailurePolicy")) failurePolicy(spec, at, report);
  if (features.isOn("JobSuccessPolicy")) successPolicy(spec, at.field("successPolicy"), report);
  if (features.isOn("JobPodReplacementPolicy")) replacementPolicy(spec, at.field("podReplacementPolicy"), report);
  if (features.since("1.27")) completionMode(spec, at, report);
};

const modes = oneOf("Indexed", "NonIndexed");

function completionMode(spec: batchV1.JobSpec, at: Place, report: Report): void {
  if (spec.completionMode === undefined) return;
  modes(spec.completionMode, at.field("completionMode"), report);
  if (!isIndexed(spec)) return;
  if (spec.completions === undefined) report.required(at.field("completions"), "when completion mode is Indexed");
  const { parallelism = 0 } = spec;
  if (parallelism <= INDEXED_PODS_MAX) return;
  const text = `must be less than or equal to ${INDEXED_PODS_MAX} when completion mode is Indexed`;
  report.invalid(at.field("parallelism"), parallelism, text);
}

const countsPerIndex = fields<batchV1.JobSpec>({ backoffLimitPerIndex: nonNegative, maxFailedIndexes: nonNegative });

function limitsPerIndex(spec: batchV1.JobSpec, at: Place, report: Report): void {
  const { backoffLimitPerIndex: limit, maxFailedIndexes: max, completions, parallelism = 0 } = spec;
  if (limit === undefined && max === undefined) return;
  countsPerIndex(spec, at, report);
  // Another mode is only reported as not supported, as in Kubernetes.
  if (!isIndexed(spec) && (spec.completionMode ?? "NonIndexed") !== "NonIndexed" && report.features.since("1.36"))
    return;
  if (!isIndexed(spec)) {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[name] !== undefined) report.invalid(at.field(name), spec[name], "requires indexed completion mode");
    }
    return;
  }
  const place = at.field("maxFailedIndexes");
  if (completions !== undefined && max !== undefined && max > completions) {
    report.invalid(place, max, "must be less than or equal to completions");
  }
  if (max !== undefined && max > INDEXED_PODS_MAX) {
    report.invalid(place, max, `must be less than or equal to ${INDEXED_PODS_MAX}`);
  }
  if (completions === undefined || completions <= MANY_COMPLETIONS || limit === undefined) return;
  const text = `must be less than or equal to ${MANY_COMPLETIONS_PODS_MAX} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (max === undefined) report.required(place, `must be specified when completions is above ${MANY_COMPLETIONS}`);
  else if (max > MANY_COMPLETIONS_PODS_MAX) report.invalid(place, max, text);
  if (parallelism > MANY_COMPLETIONS_PODS_MAX) report.invalid(at.field("parallelism"), parallelism, text);
}

function managedBy(value: string, at: Place, report: Report): void {
  const place = at.field("managedBy");
  if (value === "" && report.features.since("1.36")) report.required(place);
  else domainPrefixedPath(value, place, report);
  if (value.length > MANAGED_BY_MAX) report.tooLong(place, MANAGED_BY_MAX);
}

const replacements = oneOf("Failed", "TerminatingOrFailed");
const failedOnly = oneOf("Failed");

function replacementPolicy(spec: batchV1.JobSpec, at: Place, report: Report): void {
  const { podReplacementPolicy: policy } = spec;
  if (policy === undefined) return;
  (spec.podFailurePolicy === undefined ? replacements : failedOnly)(policy, at, report);
}

const actions = required<string>(oneOf("Count", "FailIndex", "FailJob", "Ignore"), "an action is required");
const statuses = required<string>(oneOf("False", "True", "Unknown"), "a status is required");
const operators = required<string>(oneOf("In", "NotIn"), "an operator is required");

function failurePolicy(spec: batchV1.JobSpec, at: Place, report: Report): void {
  const { podFailurePolicy: policy, template } = spec;
  if (policy === undefined) return;
  const restart = template.spec?.restartPolicy;
  if (restart === "OnFailure") {
    const place = at.field("template").field("spec").field("restartPolicy");
    report.invalid(place, restart, 'only "Never" is supported when podFailurePolicy is specified');
  }
  const list = at.field("podFailurePolicy").field("rules");
  const rules = policy.rules ?? [];
  if (rules.length > RULES_MAX) {
    report.tooMany(list, { count: rules.length, max: RULES_MAX });
    return;
  }
  const { containers, initContainers } = template.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  for (const [position, rule] of rules.entries()) failureRule(rule, { spec, names }, list.item(position), report);
}

interface RuleSurroundings {
  readonly spec: batchV1.JobSpec;
  readonly names: ReadonlySet<string>;
}

function failureRule(
  { action, onExitCodes, onPodConditions = [] }: batchV1.PodFailurePolicyRule,
  { spec, names }: RuleSurroundings,
  at: Place,
  report: Report,
): void {
  if (action) actions(action, at.field("action"), report);
  else report.required(at.field("action"), "valid values: Count, FailIndex, FailJob, Ignore");
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    report.invalid(at.field("action"), action, "requires the backoffLimitPerIndex to be set");
  }
  if (onExitCodes !== undefined) exitCodes(onExitCodes, names, at.field("onExitCodes"), report);
  const patterns = at.field("onPodConditions");
  if (onPodConditions.length > PATTERNS_MAX) {
    report.tooMany(patterns, { count: onPodConditions.length, max: PATTERNS_MAX });
  } else {
    onPodConditions.forEach(({ type, status }, position) => {
      const place = patterns.item(position);
      qualifiedName(type ?? "", place.field("type"), report);
      if (status) statuses(status, place.field("status"), report);
      else report.required(place.field("status"), "valid values: False, True, Unknown");
    });
  }
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    report.invalid(at, null, "specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (onExitCodes === undefined && onPodConditions.length === 0) {
    report.invalid(at, null, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function exitCodes(
  { operator, containerName, values }: batchV1.PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  at: Place,
  report: Report,
): void {
  if (operator) operators(operator, at.field("operator"), report);
  else report.required(at.field("operator"), "valid values: In, NotIn");
  if (containerName !== undefined && !names.has(containerName)) {
    const text = "must be one of the container or initContainer names in the pod template";
    report.invalid(at.field("containerName"), containerName, text);
  }
  const place = at.field("values");
  const codes = values ?? [];
  if (codes.length === 0) report.invalid(place, codes, "at least one value is required");
  if (codes.length > EXIT_CODES_MAX) {
    report.tooMany(place, { count: codes.length, max: EXIT_CODES_MAX });
    return;
  }
  const seen = new Set<number>();
  codes.forEach((code, position) => {
    if (operator === "In" && code === 0)
      report.invalid(place.item(position), code, "must not be 0 for the In operator");
    if (seen.has(code)) report.duplicate(place.item(position), code);
    seen.add(code);
  });
  if (codes.some((code, position) => (codes[position - 1] ?? code) > code)) {
    report.invalid(place, codes, "must be ordered");
  }
}

function successPolicy(spec: batchV1.JobSpec, at: Place, report: Report): void {
  const { successPolicy: policy } = spec;
  if (policy === undefined) return;
  if (!isIndexed(spec)) {
    report.invalid(at, policy, "requires indexed completion mode");
    return;
  }
  const rules = policy.rules ?? [];
  const list = at.field("rules");
  if (rules.length === 0) {
    report.required(list, "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > RULES_MAX) {
    report.tooMany(list, { count: rules.length, max: RULES_MAX });
    return;
  }
  for (const [position, rule] of rules.entries()) {
    successRule(rule, spec.completions ?? 0, list.item(position), report);
  }
}

function successRule(rule: batchV1.SuccessPolicyRule, completions: number, at: Place, report: Report): void {
  const { succeededCount: count, succeededIndexes: text } = rule;
  if (count === undefined && text === undefined) {
    report.required(at, "at least one of succeededCount or succeededIndexes must be specified");
  }
  let total: number | undefined;
  if (text !== undefined) {
    const place = at.field("succeededIndexes");
    if (text.length > INDEXES_TEXT_MAX) {
      report.tooLong(place, INDEXES_TEXT_MAX);
      return;
    }
    const parsed = parseIndexes(text, completions);
    if ("error" in parsed) report.invalid(place, text, `error parsing succeededIndexes: ${parsed.error}`);
    total = "error" in parsed ? 0 : parsed.count;
  }
  if (count === undefined) return;
  const place = at.field("succeededCount");
  nonNegative(count, place, report);
  if (count > completions) {
    report.invalid(place, count, `must be less than or equal to ${completions} (the number of specified completions)`);
  }
  if (total !== undefined && count > total) {
    const what = "the number of indexes in the specified succeededIndexes field";
    report.invalid(place, count, `must be less than or equal to ${total} (${what})`);
  }
}
