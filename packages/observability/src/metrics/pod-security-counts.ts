// Metrics of pod security decisions. Source: staging/src/k8s.io/pod-security-admission/metrics/metrics.go.
import type { PodSecurityObserver, PodSecurityTarget } from "@orch/admission";
import type { ServerMetrics } from "./server-metrics";

export function podSecurityCounts(metrics: ServerMetrics): PodSecurityObserver {
  const evaluations = metrics.counter("pod_security_evaluations_total");
  const exemptions = metrics.counter("pod_security_exemptions_total");
  const errors = metrics.counter("pod_security_errors_total");
  return {
    evaluated: ({ decision, level, version, mode, operation, resource, subresource }) =>
      evaluations.inc({
        decision,
        policy_level: level,
        policy_version: version,
        mode,
        request_operation: operation,
        resource,
        subresource,
      }),
    exempted: (target) => exemptions.inc(labelsOf(target)),
    failed: ({ fatal, ...target }) => errors.inc({ fatal: String(fatal), ...labelsOf(target) }),
  };
}

const labelsOf = ({ operation, resource, subresource }: PodSecurityTarget) => ({
  request_operation: operation,
  resource,
  subresource,
});
