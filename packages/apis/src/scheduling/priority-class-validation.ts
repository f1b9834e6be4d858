// Validation of priority classes. Source: pkg/apis/scheduling/validation/validation.go.

import { all, changes, immutable, isExact, oneOf, type Rule, updateValidator, validator } from "@orch/apis-model";
import type { schedulingV1 } from "@orch/schema";
import { SYSTEM_PRIORITIES } from "./system-priority-classes";

const SYSTEM_PREFIX = "system-";

const HIGHEST_FOR_USERS = 1000000000;

const nameAndValue: Rule<schedulingV1.PriorityClass> = ({ metadata, value, globalDefault }, at, report) => {
  if (isExact(report) && report.stored !== undefined) return;
  const { name = "" } = metadata ?? {};
  if (!name.startsWith(SYSTEM_PREFIX)) {
    if (value > HIGHEST_FOR_USERS) {
      report.forbidden(at.field("value"), `maximum allowed value of a user defined priority is ${HIGHEST_FOR_USERS}`);
    }
  } else if (SYSTEM_PRIORITIES.get(name) !== value || globalDefault === true) {
    const detail = `names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
    report.forbidden(at.field("metadata").field("name"), detail);
  }
};

const preemptionPolicy = oneOf("PreemptLowerPriority", "Never");

export const validatePriorityClass = validator(
  all<schedulingV1.PriorityClass>(nameAndValue, (priorityClass, at, report) => {
    if (isExact(report) && report.stored !== undefined) return;
    const policy: string | undefined = priorityClass.preemptionPolicy;
    if (policy === "") report.required(at.field("preemptionPolicy"));
    else if (policy !== undefined) preemptionPolicy(policy, at.field("preemptionPolicy"), report);
  }),
);

export const validatePriorityClassUpdate = updateValidator<schedulingV1.PriorityClass>((next, old, at, report) => {
  if (next.value !== old.value)
    report.forbidden(at.field(isExact(report) ? "value" : "Value"), "may not be changed in an update.");
  change(next, old, at, report);
});

const change = changes<schedulingV1.PriorityClass>({ preemptionPolicy: immutable });
