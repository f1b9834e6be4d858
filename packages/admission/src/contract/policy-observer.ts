// Observer of policy evaluations, for metrics. Source: KEP-3488, "CEL for Admission Control", monitoring requirements.
import type { AdmissionOperation } from "@orch/machinery";

/** Value of the metric label `error_type`. */
export type PolicyErrorType = "no_error" | "compile_error" | "invalid_error" | "out_of_budget";

export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly error: PolicyErrorType;
  /** Action taken. */
  readonly action: "allow" | "deny" | "warn" | "audit";
  readonly seconds: number;
}

/** Evaluation of a policy's match conditions. */
export interface ConditionsCheck {
  readonly policy: string;
  /** Value of the metric label. */
  readonly type: "validate" | "mutate";
  readonly operation: AdmissionOperation;
  /** excluded: one condition is false; failed: none is false and one could not be evaluated */
  readonly outcome: "held" | "excluded" | "failed";
  readonly seconds: number;
}

export interface PolicyObserver {
  /** Called for each validation that does not hold, once per action. */
  validated(check: PolicyCheck): void;
  /** Called for each mutating policy, once per binding and parameter. */
  mutated(check: PolicyCheck): void;
  /** Called for each policy with match conditions, once per binding and parameter. */
  conditionsMet(check: ConditionsCheck): void;
}
