// Rules for selectors, pod templates and counts that all workloads share. Source:
// pkg/apis/apps/validation/validation.go.

import { endlessPods, podTemplateSpec } from "@orch/apis-core";
import {
  labelSelector,
  NOT_NEGATIVE,
  type Place,
  percentOf,
  type Report,
  type Rule,
  type UpdateRule,
  unchanged,
} from "@orch/apis-model";
import { labelSelectorErrors, labelSelectorOfObject, labelValueErrors } from "@orch/machinery";
import type { coreV1, intstr, JsonObject, metaV1 } from "@orch/schema";

/** Fields of a workload's spec about its pods. */
export interface ReplicatedPods {
  readonly selector?: metaV1.LabelSelector | null;
  readonly template: coreV1.PodTemplateSpec;
}

const isEmptySelector = ({ matchLabels, matchExpressions }: metaV1.LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/** Requires a valid, non-empty selector. @param owner the kind in lower case, for messages */
export function requireSelector({ selector }: ReplicatedPods, owner: string, at: Place, report: Report): void {
  const place = at.field("selector");
  if (selector === undefined || selector === null) report.required(place);
  else checkSelector(selector, owner, place, report);
}

export function checkSelector(selector: metaV1.LabelSelector, owner: string, at: Place, report: Report): void {
  labelSelector(selector, at, report);
  if (isEmptySelector(selector)) report.invalid(at, selector, `empty selector is invalid for ${owner}`);
  const isNewer = report.features.since("1.26");
  // Kubernetes reports no selector of a daemon set as a whole.
  if (isNewer && owner === "daemonset") return;
  if (!(isNewer ? isUsable(selector) : hasLabelValues(selector)))
    report.invalid(at, selector, "invalid label selector");
}

/** Returns whether the values of the selector can be label values. The rules of selectors do not check that. */
function hasLabelValues({ matchExpressions = [] }: metaV1.LabelSelector): boolean {
  return matchExpressions.every(({ values }) => (values ?? []).every((value) => labelValueErrors(value).length === 0));
}

/** Returns whether pods can be selected: all keys, operators and values are valid. */
function isUsable(selector: metaV1.LabelSelector): boolean {
  return hasLabelValues(selector) && labelSelectorErrors(selector as unknown as JsonObject, "").length === 0;
}

/** Requires that the selector matches the labels of the template. */
export const selectsItsOwn: Rule<ReplicatedPods> = ({ selector, template }, at, report) => {
  const labels = template.metadata?.labels ?? {};
  if (selector === undefined || selector === null || !selects(selector, labels)) {
    const place = at.field("template").field("metadata").field("labels");
    report.invalid(place, labels, "`selector` does not match template `labels`");
  }
};

/**
 * Returns whether the selector matches the labels. An invalid selector counts as matching, because its errors are
 * reported elsewhere.
 */
export function selects(selector: metaV1.LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (matchExpressions.length === 0) return Object.keys(matchLabels).every((key) => labels[key] === matchLabels[key]);
  const object = selector as unknown as JsonObject;
  if (!isUsable(selector)) return true;
  return labelSelectorOfObject(object).matches(labels);
}

/** Returns whether the template is checked: since 1.26 not beside an invalid selector, as in Kubernetes. */
export const checksTemplate = ({ selector }: ReplicatedPods, report: Report): boolean =>
  selector === undefined || selector === null || !report.features.since("1.26") || isUsable(selector);

/** Checks a pod template of a workload that restarts its pods. */
export function checkTemplate(pods: ReplicatedPods, at: Place, report: Report): void {
  if (checksTemplate(pods, report)) checkPods(pods, at, report);
  else endlessPods(pods.template, at.field("template"), report);
}

/** Checks the template, also beside an invalid selector. */
export function checkPods(pods: ReplicatedPods, at: Place, report: Report): void {
  selectsItsOwn(pods, at, report);
  podTemplateSpec(pods.template, at.field("template"), report);
  endlessPods(pods.template, at.field("template"), report);
}

/** Returns whether a count is 0 or 0 percent. */
export const isNone = (value: intstr.IntOrString | undefined): boolean =>
  value === undefined || value === 0 || percentOf(value) === 0;

/** Requires that partial counts do not exceed the number of replicas. */
export const notMoreThan =
  <T extends { readonly replicas?: number }>(...names: readonly (keyof T & string)[]): Rule<T> =>
  (status, at, report) => {
    const { replicas = 0 } = status;
    for (const name of names) {
      const count = Number(status[name] ?? 0);
      if (count > replicas) report.invalid(at.field(name), count, "cannot be greater than status.replicas");
    }
  };

export const availableAreReady: Rule<{ readonly availableReplicas?: number; readonly readyReplicas?: number }> = (
  { availableReplicas = 0, readyReplicas = 0 },
  at,
  report,
) => {
  if (availableReplicas <= readyReplicas) return;
  report.invalid(at.field("availableReplicas"), availableReplicas, "cannot be greater than readyReplicas");
};

/** Requires that the collision count does not decrease. */
export const collisionCount: UpdateRule<number | undefined> = (next, old, at, report) => {
  if (next !== undefined && next < 0) report.invalid(at, next, NOT_NEGATIVE);
  if (old !== undefined && (next === undefined || next < old))
    report.invalid(at, next ?? null, "cannot be decremented");
};

/** Makes the selector immutable, except in the first versions of a kind. */
export const fixedSelector =
  (...changeableIn: readonly string[]): UpdateRule<metaV1.LabelSelector | null | undefined> =>
  (next, old, at, report) => {
    const { group, version } = report.version;
    if (!changeableIn.includes(`${group}/${version}`) && !unchanged(next, old)) report.immutable(at, next);
  };
