// Validation of device taint rules. Source: pkg/apis/resource/validation/validation.go.
import { conditions, fields, type Rule, required, updateValidator, validator } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { capped } from "./capped-lists";
import { deviceName, driverName, poolName } from "./device-names";
import { deviceTaint } from "./device-taints-validation";

type TaintRule = resourceV1.DeviceTaintRule;

const CONDITIONS_MAX = 8;

const deviceSelector = fields<resourceV1.DeviceTaintSelector>({
  driver: ifNamed(driverName),
  pool: ifNamed(poolName),
  device: ifNamed(deviceName),
});

/** Selectors are optional, but an empty name is wrong. */
function ifNamed(rule: Rule<string>): Rule<string> {
  return (name, at, report) => {
    if (name === "") report.required(at);
    else rule(name, at, report);
  };
}

const ruleSpec = (stored?: resourceV1.DeviceTaint): Rule<resourceV1.DeviceTaintRuleSpec> =>
  fields<resourceV1.DeviceTaintRuleSpec>({ deviceSelector, taint: required(deviceTaint(stored)) });

export const validateNewTaintRule = validator<TaintRule>(({ spec }, at, report) => {
  ruleSpec()(spec, at.field("spec"), report);
});

export const validateTaintRuleUpdate = updateValidator<TaintRule>(({ spec }, old, at, report) => {
  ruleSpec(old.spec.taint)(spec, at.field("spec"), report);
});

export const validateTaintRuleStatus = updateValidator<TaintRule>(({ status }, _old, at, report) => {
  fields<resourceV1.DeviceTaintRuleStatus>({ conditions: capped(CONDITIONS_MAX, conditions) })(
    status ?? {},
    at.field("status"),
    report,
  );
});
