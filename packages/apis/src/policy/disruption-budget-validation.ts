// Validation of pod disruption budgets. Source: pkg/apis/policy/validation/validation.go.

import {
  all,
  conditions,
  fields,
  labelSelector,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  oneOf,
  type Rule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { intstr, policyV1 } from "@orch/schema";

const amount = all<intstr.IntOrString>(nonNegativeOrPercent, notMoreThan100Percent);

const oneBound: Rule<policyV1.PodDisruptionBudgetSpec> = ({ minAvailable, maxUnavailable }, at, report) => {
  if (minAvailable === undefined || maxUnavailable === undefined) return;
  report.invalid(at, { minAvailable, maxUnavailable }, "minAvailable and maxUnavailable cannot be both set");
};

const evictionPolicy = oneOf("AlwaysAllow", "IfHealthyBudget");

export const validateDisruptionBudget = validator(
  fields<policyV1.PodDisruptionBudget>({
    spec: all<policyV1.PodDisruptionBudgetSpec>(
      oneBound,
      fields<policyV1.PodDisruptionBudgetSpec>({
        minAvailable: amount,
        maxUnavailable: amount,
        selector: labelSelector,
        unhealthyPodEvictionPolicy: (policy, at, report) => {
          if (report.features.isOn("PDBUnhealthyPodEvictionPolicy")) evictionPolicy(policy, at, report);
        },
      }),
    ),
  }),
);

const status = fields<policyV1.PodDisruptionBudget>({
  status: fields<policyV1.PodDisruptionBudgetStatus>({
    disruptionsAllowed: nonNegative,
    currentHealthy: nonNegative,
    desiredHealthy: nonNegative,
    expectedPods: nonNegative,
    conditions: (list, at, report) => {
      if (report.features.since("1.27")) conditions(list, at, report);
    },
  }),
});

/** Validates the status, which has no rules in v1beta1. */
export const validateDisruptionBudgetStatus = updateValidator<policyV1.PodDisruptionBudget>(
  (next, _old, at, report) => {
    if (report.version.version !== "v1beta1") status(next, at, report);
  },
);
