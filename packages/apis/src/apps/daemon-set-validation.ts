// Validation of daemon sets. Source: pkg/apis/apps/validation/validation.go.

import { disksToShare } from "@orch/apis-core";
import {
  all,
  changes,
  fields,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  type Report,
  type Rule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { appsV1, intstr } from "@orch/schema";
import { checkPods, checkSelector, collisionCount, fixedSelector, isNone } from "./replicated-pods";

const maxUnavailable: Rule<intstr.IntOrString> = all<intstr.IntOrString>(
  nonNegativeOrPercent,
  (value, at, report) => {
    if (isNone(value) && !hasSurge(report)) report.invalid(at, value, "cannot be 0");
  },
  notMoreThan100Percent,
);

const maxSurge: Rule<intstr.IntOrString> = (value, at, report) => {
  if (!hasSurge(report)) return;
  nonNegativeOrPercent(value, at, report);
  notMoreThan100Percent(value, at, report);
};

const hasSurge = ({ features }: Report): boolean => features.since("1.36");

/** Requires either unavailable or additional pods. Source: KEP-1591, "DaemonSets should support MaxSurge". */
const surgeOrUnavailable: Rule<appsV1.RollingUpdateDaemonSet> = (rolling, at, report) => {
  if (!hasSurge(report)) return;
  const isMissing = [rolling.maxUnavailable, rolling.maxSurge].map((value) => isNone(value) || isMisformed(value));
  if (isMissing[0] && isMissing[1]) report.required(at.field("maxUnavailable"), "cannot be 0 when maxSurge is 0");
  if (!isMissing[0] && !isMissing[1]) {
    report.invalid(at.field("maxSurge"), rolling.maxSurge, "may not be set when maxUnavailable is non-zero");
  }
};

const isMisformed = (value: intstr.IntOrString | undefined): boolean =>
  typeof value === "string" && !/^[0-9]+%$/.test(value);

const rollingUpdate = all<appsV1.RollingUpdateDaemonSet>(
  fields<appsV1.RollingUpdateDaemonSet>({ maxUnavailable, maxSurge }),
  surgeOrUnavailable,
);

const updateStrategy: Rule<appsV1.DaemonSetSpec> = ({ updateStrategy: strategy = {} }, at, report) => {
  const place = at.field("updateStrategy");
  switch (strategy.type) {
    case "OnDelete":
      return;
    case "RollingUpdate":
      if (strategy.rollingUpdate === undefined) report.required(place.field("rollingUpdate"));
      else rollingUpdate(strategy.rollingUpdate, place.field("rollingUpdate"), report);
      return;
    default:
      report.notSupported(place, strategy, ["OnDelete", "RollingUpdate"]);
  }
};

const pods: Rule<appsV1.DaemonSetSpec> = (spec, at, report) => {
  const { selector, template } = spec;
  if (selector !== undefined && selector !== null) checkSelector(selector, "daemonset", at.field("selector"), report);
  checkPods(spec, at, report);
  // The number of pods is not limited: there is one on every node.
  disksToShare(Number.POSITIVE_INFINITY, template, at.field("template"), report);
};

export const validateDaemonSet = validator(
  fields<appsV1.DaemonSet>({
    spec: all<appsV1.DaemonSetSpec>(
      pods,
      fields<appsV1.DaemonSetSpec>({ minReadySeconds: nonNegative, revisionHistoryLimit: nonNegative }),
      updateStrategy,
    ),
  }),
);

export const validateDaemonSetUpdate = updateValidator<appsV1.DaemonSet>(
  changes<appsV1.DaemonSet>({
    spec: changes<appsV1.DaemonSetSpec>({ selector: fixedSelector("extensions/v1beta1") }),
  }),
);

const status = fields<appsV1.DaemonSet>({
  status: fields<appsV1.DaemonSetStatus>({
    currentNumberScheduled: nonNegative,
    numberMisscheduled: nonNegative,
    desiredNumberScheduled: nonNegative,
    numberReady: nonNegative,
    observedGeneration: nonNegative,
    updatedNumberScheduled: nonNegative,
    numberAvailable: nonNegative,
    numberUnavailable: nonNegative,
  }),
});

const statusChange = changes<appsV1.DaemonSet>({ status: changes<appsV1.DaemonSetStatus>({ collisionCount }) });

export const validateDaemonSetStatus = updateValidator<appsV1.DaemonSet>((next, old, at, report) => {
  status(next, at, report);
  statusChange(next, old, at, report);
});
