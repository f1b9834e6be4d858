// Validation of daemon sets. Source: pkg/apis/apps/validation/validation.go.

import { disksToShare } from "@orch/apis-core";
import {
  all,
  changes,
  fields,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  type Rule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { appsV1, intstr } from "@orch/schema";
import { checkSelector, checkTemplate, collisionCount, fixedSelector, isNone } from "./replicated-pods";

const maxUnavailable: Rule<intstr.IntOrString> = all<intstr.IntOrString>(
  nonNegativeOrPercent,
  (value, at, report) => {
    if (isNone(value)) report.invalid(at, value, "cannot be 0");
  },
  notMoreThan100Percent,
);

const rollingUpdate = fields<appsV1.RollingUpdateDaemonSet>({ maxUnavailable });

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
  checkTemplate(spec, at, report);
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
