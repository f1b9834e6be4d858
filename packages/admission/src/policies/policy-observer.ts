// Who counts what policies do. Source: the field's metrics of admission policies.
import type { AdmissionOperation } from "@orch/machinery";

/** As metrics have it. */
export type PolicyErrorType = "no_error" | "compile_error" | "invalid_error" | "out_of_budget";

export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly error: PolicyErrorType;
  /** What became of it. */
  readonly action: "allow" | "deny" | "warn" | "audit";
  readonly seconds: number;
}

/** Of one policy, asked together whether it is about a request. */
export interface ConditionsCheck {
  readonly policy: string;
  /** As metrics have it. */
  readonly type: "validate" | "mutate";
  readonly operation: AdmissionOperation;
  /** excluded: one did not hold; failed: none did not, and one could not be told */
  readonly outcome: "held" | "excluded" | "failed";
  readonly seconds: number;
}

export interface PolicyObserver {
  /** Of each expression that did not simply hold, once for each action. */
  validated(check: PolicyCheck): void;
  /** Of each policy that was to change an object, once for each binding and parameter. */
  mutated(check: PolicyCheck): void;
  /** Of each policy that has conditions, once for each binding and parameter. */
  conditionsMet(check: ConditionsCheck): void;
}
