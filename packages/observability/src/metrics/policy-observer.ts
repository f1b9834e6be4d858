// Metrics of admission policies.
import type { ConditionsCheck, PolicyCheck, PolicyObserver } from "@orch/admission";
import type { ServerMetrics } from "./server-metrics";

export function policyObserver(metrics: ServerMetrics): PolicyObserver {
  const counting = (kind: "validating" | "mutating") => {
    const checks = metrics.counter(`apiserver_${kind}_admission_policy_check_total`);
    const durations = metrics.histogram(`apiserver_${kind}_admission_policy_check_duration_seconds`);
    return ({ policy, binding, error, action, seconds }: PolicyCheck): void => {
      const labels = { policy, policy_binding: binding, error_type: error, enforcement_action: action };
      checks.inc(labels);
      durations.labels(labels).observe(seconds);
    };
  };
  const conditionErrors = metrics.counter("apiserver_admission_match_condition_evaluation_errors_total");
  const exclusions = metrics.counter("apiserver_admission_match_condition_exclusions_total");
  const conditionSeconds = metrics.histogram("apiserver_admission_match_condition_evaluation_seconds");
  const conditionsMet = ({ policy: name, type, operation, outcome, seconds }: ConditionsCheck): void => {
    const labels = { name, kind: "policy", type, operation };
    conditionSeconds.labels(labels).observe(seconds);
    if (outcome === "excluded") exclusions.inc(labels);
    if (outcome === "failed") conditionErrors.inc(labels);
  };
  return { validated: counting("validating"), mutated: counting("mutating"), conditionsMet };
}
