// Metrics of admission and validation. Source: staging/src/k8s.io/apiserver/pkg/admission/metrics/metrics.go,
// pkg/admission/plugin/policy/validating/metrics/metrics.go and pkg/cel/metrics/metrics.go there.
import { CONDITION_SECONDS } from "./shared-values";

const ADMISSION_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5] as const;
const LATER_ADMISSION_SECONDS = ["1.27", [0.005, 0.025, 0.1, 0.5, 1, 2.5]] as const;
const ADMISSION_WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25] as const;
/**
 * Labels of admission policy metrics. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/metrics/metrics.go.
 */
const POLICY_CHECK = ["policy", "policy_binding", "error_type", "enforcement_action"];
const POLICY_SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];
const POD_SECURITY = ["request_operation", "resource", "subresource"] as const;
const CEL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export const ADMISSION_METRICS = {
  pod_security_evaluations_total: {
    kind: "counter",
    help: "Pods and pod templates evaluated by the pod security standards; for audit and warn, only violations.",
    labels: ["decision", "policy_level", "policy_version", "mode", ...POD_SECURITY],
  },
  pod_security_exemptions_total: {
    kind: "counter",
    help: "Requests exempt from the pod security standards.",
    labels: POD_SECURITY,
  },
  pod_security_errors_total: {
    kind: "counter",
    help: "Failed evaluations of the pod security standards, by whether the request was rejected.",
    labels: ["fatal", ...POD_SECURITY],
  },
  apiserver_admission_step_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in all admission plugins.",
    labels: ["type", "operation", "rejected"],
    stability: "STABLE",
    buckets: ADMISSION_SECONDS,
    bucketsFrom: LATER_ADMISSION_SECONDS,
  },
  apiserver_admission_step_admission_duration_seconds_summary: {
    kind: "summary",
    help: "Seconds spent in all admission plugins.",
    labels: ["type", "operation", "rejected"],
    of: "apiserver_admission_step_admission_duration_seconds",
  },
  apiserver_admission_controller_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in an admission plugin.",
    labels: ["name", "type", "operation", "rejected"],
    stability: "STABLE",
    buckets: ADMISSION_SECONDS,
    bucketsFrom: LATER_ADMISSION_SECONDS,
  },
  apiserver_admission_webhook_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in an admission webhook.",
    labels: ["name", "type", "operation", "rejected"],
    stability: "STABLE",
    buckets: ADMISSION_WEBHOOK_SECONDS,
  },
  apiserver_validating_admission_policy_check_total: {
    kind: "counter",
    help: "Violations of validating admission policies and failed expressions, by enforcement action.",
    stability: "BETA",
    labels: POLICY_CHECK,
  },
  apiserver_validating_admission_policy_check_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in validating admission policies until a violation or a failed expression.",
    stability: "BETA",
    labels: POLICY_CHECK,
    buckets: POLICY_SECONDS,
  },
  apiserver_mutating_admission_policy_check_total: {
    kind: "counter",
    help: "Evaluated mutating admission policies, by result.",
    labels: POLICY_CHECK,
  },
  apiserver_mutating_admission_policy_check_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in mutating admission policies.",
    labels: POLICY_CHECK,
    buckets: POLICY_SECONDS,
  },
  apiserver_admission_webhook_rejection_count: {
    kind: "counter",
    help: "Requests rejected because of an admission webhook, by error type and status code.",
    labels: ["name", "type", "operation", "error_type", "rejection_code"],
  },
  apiserver_admission_webhook_fail_open_count: {
    kind: "counter",
    help: "Requests that continued after an admission webhook failed (failurePolicy Ignore).",
    labels: ["name", "type"],
  },
  apiserver_admission_webhook_request_total: {
    kind: "counter",
    help: "Calls of an admission webhook, by resulting status code.",
    labels: ["name", "type", "operation", "code", "rejected"],
  },
  apiserver_admission_webhook_withheld_total: {
    kind: "counter",
    help: "Calls of failing admission webhooks that were not made, by reason.",
    labels: ["name", "type", "reason"],
  },
  apiserver_admission_webhook_circuit_broken: {
    kind: "gauge",
    joining: "max",
    help: "1 for each failing admission webhook, which is skipped for a while or called for a few requests at a time.",
    labels: ["name", "type"],
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    kind: "counter",
    help: "Match conditions whose evaluation failed.",
    labels: ["name", "kind", "type", "operation"],
  },
  apiserver_admission_match_condition_exclusions_total: {
    kind: "counter",
    help: "Requests excluded by match conditions.",
    labels: ["name", "kind", "type", "operation"],
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    kind: "histogram",
    help: "Seconds spent in match conditions.",
    labels: ["name", "kind", "type", "operation"],
    buckets: CONDITION_SECONDS,
  },
  apiserver_validation_declarative_validation_mismatch_total: {
    kind: "counter",
    help: "Objects on which declarative and handwritten validation disagree. This server has one form of each rule, so that the value is 0.",
    labels: [],
    stability: "BETA",
    since: "1.33",
  },
  apiserver_validation_declarative_validation_panic_total: {
    kind: "counter",
    help: "Failures of declarative validation. This server has one form of each rule, so that the value is 0.",
    labels: [],
    stability: "BETA",
    since: "1.33",
  },
  apiserver_cel_compilation_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the compilation of an expression in CEL.",
    labels: [],
    buckets: CEL_SECONDS,
    stability: "BETA",
    since: "1.26",
  },
  apiserver_cel_evaluation_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the evaluation of an expression in CEL.",
    labels: [],
    buckets: CEL_SECONDS,
    stability: "BETA",
    since: "1.26",
  },
} as const;
