// What admission policies do, for the metrics.
import type { PolicyCheck, PolicyObserver } from "@orch/admission";
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
  return { validated: counting("validating"), mutated: counting("mutating") };
}
