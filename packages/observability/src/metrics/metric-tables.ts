// The metrics of the API server: names, labels and buckets. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go and the metrics files of the packages that each metric
// describes.

import type { Joining } from "@orch/platform";
import { NEWER_METRICS } from "./newer-metrics";

export type MetricRow = PlainRow | HistogramRow | SummaryRow;

export interface PlainRow extends Described {
  readonly kind: "counter" | "gauge";
  /** How the values of all workers are combined for a gauge. Default: the sum. */
  readonly joining?: Joining;
}

export interface HistogramRow extends Described {
  readonly kind: "histogram";
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  /** Release from which on the metric has other bounds. */
  readonly bucketsFrom?: readonly [release: string, buckets: readonly number[]];
}

/** A summary with the sums and counts of the preceding histogram. */
interface SummaryRow extends Described {
  readonly kind: "summary";
  readonly of: string;
}

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
  /** Release from which on the metric has other labels. */
  readonly labelsFrom?: readonly [release: string, labels: readonly string[]];
  /** Default: ALPHA, which allows changes of name and labels. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE";
  /** First release that has the metric. Default: all have it. */
  readonly since?: string;
  /** Release that deprecates the metric. */
  readonly deprecated?: string;
}

const REQUEST = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const;
const PLACE = ["verb", "group", "version", "resource", "subresource", "scope"] as const;
const KIND = ["group", "version", "kind"] as const;
const RESOURCE_OF_WATCH = ["1.34", ["group", "version", "resource"]] as const;
const GROUP_RESOURCE = ["1.34", ["group", "resource"]] as const;

const REQUEST_SECONDS = [
  0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;
const STORE_SECONDS = [0.005, 0.01, 0.025, ...REQUEST_SECONDS] as const;
/** Bounds of both from 1.27 on. */
const LATER_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
] as const;
const FILTER_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5] as const;
const CONVERSION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
];
const ADMISSION_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5] as const;
const ADMISSION_WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25] as const;
const TOKEN_CACHE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const DELEGATED_SECONDS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10] as const;
const AUTHENTICATION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
] as const;

const AUTHORIZATION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
] as const;
const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25] as const;
const GRAPH_SECONDS = [
  0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032, 0.0064, 0.0128, 0.0256, 0.0512, 0.1024, 0.2048,
] as const;
const TRANSFORMATION_SECONDS = [
  0.000005, 0.00001, 0.00002, 0.00004, 0.00008, 0.00016, 0.00032, 0.00064, 0.00128, 0.00256, 0.00512, 0.01024, 0.02048,
  0.04096,
] as const;
const KMS_SECONDS = [
  0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032, 0.0064, 0.0128, 0.0256, 0.0512, 0.1024, 0.2048, 0.4096, 0.8192,
] as const;
const WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 30] as const;
const FLOW = ["priority_level", "flow_schema"] as const;
const QUEUE_SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30] as const;
const RATIOS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

/**
 * Labels of admission policy metrics. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/metrics/metrics.go.
 */
const POLICY_CHECK = ["policy", "policy_binding", "error_type", "enforcement_action"];
const POLICY_SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];
const POD_SECURITY = ["request_operation", "resource", "subresource"] as const;

export const METRICS = {
  ...NEWER_METRICS,
  apiserver_request_total: {
    kind: "counter",
    help: "Finished requests.",
    labels: [...REQUEST, "contentType", "code"],
    labelsFrom: ["1.24", [...REQUEST, "code"]],
    stability: "STABLE",
  },
  apiserver_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds between the arrival of a request and the end of its answer.",
    labels: REQUEST,
    buckets: REQUEST_SECONDS,
    bucketsFrom: ["1.27", LATER_SECONDS],
    stability: "STABLE",
  },
  apiserver_response_sizes: {
    kind: "histogram",
    help: "Size in bytes of the answers to read requests.",
    labels: [...PLACE, "component"],
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    stability: "STABLE",
  },
  apiserver_longrunning_gauge: {
    kind: "gauge",
    help: "Open long-running requests.",
    labels: [...PLACE, "component"],
    deprecated: "1.23",
  },
  apiserver_current_inflight_requests: {
    kind: "gauge",
    help: "Maximum number of concurrent requests in the last second.",
    stability: "STABLE",
    labels: ["request_kind"],
  },
  apiserver_log_lines_lost_total: {
    kind: "counter",
    help: "Log lines that could not be written.",
    labels: [],
  },
  apiserver_dropped_requests_total: {
    kind: "counter",
    help: "Requests rejected because too many requests were in flight.",
    labels: ["request_kind"],
  },
  apiserver_flowcontrol_rejected_requests_total: {
    kind: "counter",
    help: "Requests rejected by priority and fairness, by reason.",
    stability: "BETA",
    labels: [...FLOW, "reason"],
  },
  apiserver_flowcontrol_dispatched_requests_total: {
    kind: "counter",
    help: "Requests dispatched by priority and fairness.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_inqueue_requests: {
    kind: "gauge",
    help: "Requests queued by priority and fairness.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_executing_requests: {
    kind: "gauge",
    help: "Requests in execution, including watches that send their initial events.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_request_queue_length_after_enqueue: {
    kind: "histogram",
    help: "Queue length at each enqueue.",
    labels: FLOW,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  },
  apiserver_flowcontrol_request_concurrency_limit: {
    kind: "gauge",
    help: "Nominal number of seats of a priority level.",
    labels: ["priority_level"],
  },
  apiserver_flowcontrol_request_wait_duration_seconds: {
    kind: "histogram",
    help: "Seconds that requests waited in queues, by whether they were then executed.",
    labels: [...FLOW, "execute"],
    stability: "BETA",
    buckets: QUEUE_SECONDS,
  },
  apiserver_flowcontrol_request_execution_seconds: {
    kind: "histogram",
    help: "Seconds of request execution.",
    labels: FLOW,
    buckets: QUEUE_SECONDS,
  },
  apiserver_flowcontrol_priority_level_request_count_samples: {
    kind: "histogram",
    help: "Ratio of a priority level's requests to its capacity, sampled every millisecond.",
    labels: ["phase", "priority_level"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_priority_level_request_count_watermarks: {
    kind: "histogram",
    help: "Minimum and maximum of the ratio between two samples.",
    labels: ["mark", "phase", "priority_level"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_read_vs_write_request_count_samples: {
    kind: "histogram",
    help: "Ratio of read-only and mutating requests to --max-requests-inflight and --max-mutating-requests-inflight, sampled every millisecond.",
    labels: ["phase", "request_kind"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_read_vs_write_request_count_watermarks: {
    kind: "histogram",
    help: "Minimum and maximum of the ratio between two samples.",
    labels: ["mark", "phase", "request_kind"],
    buckets: RATIOS,
  },
  apiserver_request_terminations_total: {
    kind: "counter",
    help: "Requests that the server ended before their handler returned.",
    labels: [...PLACE, "component", "code"],
  },
  apiserver_request_aborts_total: {
    kind: "counter",
    help: "Requests whose answer the server aborted.",
    labels: PLACE,
  },
  apiserver_request_filter_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a step of the request pipeline.",
    labels: ["filter"],
    buckets: FILTER_SECONDS,
  },
  apiserver_tls_handshake_errors_total: { kind: "counter", help: "Failed TLS handshakes.", labels: [] },
  apiserver_connections: { kind: "gauge", help: "Open connections.", labels: [] },
  apiserver_open_requests: {
    kind: "gauge",
    help: "Requests without a complete answer, including long-running ones.",
    labels: [],
  },
  apiserver_connections_closed_total: {
    kind: "counter",
    help: "Connections that the server closed, by reason.",
    labels: ["reason"],
  },
  apiserver_connection_failures_total: {
    kind: "counter",
    help: "Failures that ended a connection or request, by place.",
    labels: ["place"],
  },
  apiserver_request_body_bytes: {
    kind: "gauge",
    help: "Memory in bytes used by the bodies of requests in progress.",
    labels: [],
  },
  apiserver_unread_bytes: {
    kind: "gauge",
    help: "Bytes of answers that clients had not read at the last check.",
    labels: [],
  },
  apiserver_registered_watchers: { kind: "gauge", help: "Open watches.", labels: KIND },
  apiserver_watch_events_total: {
    kind: "counter",
    help: "Events sent to watches.",
    stability: "BETA",
    labels: KIND,
    labelsFrom: RESOURCE_OF_WATCH,
  },
  apiserver_watch_events_sizes: {
    kind: "histogram",
    help: "Bytes of the events sent to watches.",
    stability: "BETA",
    labels: KIND,
    labelsFrom: RESOURCE_OF_WATCH,
    buckets: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
  },
  apiserver_init_events_total: {
    kind: "counter",
    help: "Initial objects sent by watches.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  watch_cache_capacity_increase_total: {
    kind: "counter",
    help: "Number of times that the watch cache of a resource increased its capacity.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  watch_cache_capacity_decrease_total: {
    kind: "counter",
    help: "Number of times that the watch cache of a resource decreased its capacity.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  apiserver_requested_deprecated_apis: {
    kind: "gauge",
    joining: "max",
    help: "1 for each deprecated API that was requested.",
    stability: "STABLE",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
  },
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
  apiserver_crd_webhook_conversion_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of a conversion webhook.",
    labels: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: CONVERSION_SECONDS,
  },
  aggregator_unavailable_apiservice: {
    kind: "gauge",
    joining: "max",
    help: "1 for each APIService whose aggregated API server is unavailable, else 0.",
    labels: ["name"],
  },
  aggregator_unavailable_apiservice_total: {
    kind: "counter",
    help: "Number of times that an APIService became unavailable, by reason.",
    labels: ["name", "reason"],
  },
  apiserver_audit_event_total: {
    kind: "counter",
    help: "Audit events passed to the audit backends.",
    labels: [],
  },
  apiserver_audit_error_total: {
    kind: "counter",
    help: "Audit events that were dropped or delayed, by backend.",
    labels: ["plugin"],
  },
  apiserver_audit_level_total: { kind: "counter", help: "Requests by audit level.", labels: ["level"] },
  apiserver_audit_requests_rejected_total: {
    kind: "counter",
    help: "Requests rejected because their audit event could not be recorded.",
    labels: [],
  },
  apiserver_configuration_reloads_total: {
    kind: "counter",
    help: "Reloads of changed option files, by outcome.",
    labels: ["option", "result"],
  },
  authenticated_user_requests: {
    kind: "counter",
    help: "Requests by kind of user name.",
    labels: ["username"],
  },
  authentication_attempts: { kind: "counter", help: "Authentications by outcome.", labels: ["result"] },
  authentication_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in authentication.",
    labels: ["result"],
    buckets: AUTHENTICATION_SECONDS,
  },
  authentication_token_cache_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the verification of a token, by whether it was cached.",
    labels: ["status"],
    buckets: TOKEN_CACHE_SECONDS,
  },
  authentication_token_cache_request_total: {
    kind: "counter",
    help: "Tokens of requests, by whether they were cached.",
    labels: ["status"],
  },
  authentication_token_cache_fetch_total: {
    kind: "counter",
    help: "Verified tokens, by outcome.",
    labels: ["status"],
  },
  authentication_token_cache_active_fetch_count: {
    kind: "gauge",
    help: "Token verifications in progress, and requests that wait for a verification started by another request.",
    labels: ["status"],
  },
  apiserver_delegated_authn_request_total: {
    kind: "counter",
    help: "Calls of the token webhook, by HTTP status of the answer.",
    labels: ["code"],
  },
  apiserver_delegated_authn_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds until the token webhook answered, by HTTP status.",
    labels: ["code"],
    buckets: DELEGATED_SECONDS,
  },
  apiserver_authentication_jwt_authenticator_latency_seconds: {
    kind: "histogram",
    help: "Seconds spent on the verification of a token, by outcome and issuer.",
    labels: ["result", "jwt_issuer_hash"],
    buckets: AUTHENTICATION_SECONDS,
  },
  apiserver_authentication_jwt_authenticator_jwks_fetches_total: {
    kind: "counter",
    help: "Fetches of the keys of a token issuer, by outcome.",
    labels: ["result", "jwt_issuer_hash"],
  },
  serviceaccount_legacy_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens of Secrets.",
    labels: [],
  },
  serviceaccount_legacy_auto_token_uses_total: {
    kind: "counter",
    help: "Tracked uses of automatically created service account tokens of Secrets.",
    labels: [],
  },
  serviceaccount_legacy_manual_token_uses_total: {
    kind: "counter",
    help: "Tracked uses of manually created service account tokens of Secrets.",
    labels: [],
  },
  serviceaccount_invalid_legacy_auto_token_uses_total: {
    kind: "counter",
    help: "Uses of service account tokens of Secrets that are marked invalid.",
    labels: [],
  },
  serviceaccount_stale_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens after their requested lifetime.",
    labels: [],
  },
  serviceaccount_valid_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens with an extended lifetime within their requested lifetime.",
    labels: [],
  },
  apiserver_client_certificate_expiration_seconds: {
    kind: "histogram",
    help: "Remaining lifetime in seconds of client certificates at their use.",
    labels: [],
    buckets: [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000],
  },
  authorization_attempts_total: { kind: "counter", help: "Authorizations by outcome.", labels: ["result"] },
  authorization_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in authorization.",
    labels: ["result"],
    buckets: AUTHORIZATION_SECONDS,
  },
  apiserver_authorization_decisions_total: {
    kind: "counter",
    help: "Decisions of authorizers.",
    labels: ["type", "name", "decision"],
  },
  apiserver_authorization_webhook_evaluations_total: {
    kind: "counter",
    help: "Calls of authorization webhooks, by outcome.",
    labels: ["name", "result"],
  },
  apiserver_authorization_webhook_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of an authorization webhook, including retries.",
    labels: ["name", "result"],
    buckets: WEBHOOK_SECONDS,
  },
  apiserver_authorization_webhook_evaluations_fail_open_total: {
    kind: "counter",
    help: "Failures of authorization webhooks that counted as no opinion.",
    labels: ["name", "result"],
  },
  apiserver_authorization_match_condition_evaluation_seconds: {
    kind: "histogram",
    help: "Seconds spent in the match conditions of an authorizer.",
    labels: ["type", "name"],
    buckets: CONDITION_SECONDS,
  },
  apiserver_authorization_match_condition_evaluation_errors_total: {
    kind: "counter",
    help: "Match conditions of an authorizer whose evaluation failed.",
    labels: ["type", "name"],
  },
  apiserver_authorization_match_condition_exclusions_total: {
    kind: "counter",
    help: "Requests excluded by the match conditions of an authorizer.",
    labels: ["type", "name"],
  },
  node_authorizer_graph_actions_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on an update of the node authorizer's graph.",
    labels: ["operation"],
    buckets: GRAPH_SECONDS,
  },
  etcd_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of the store.",
    labels: ["operation", "type"],
    labelsFrom: ["1.34", ["operation", "group", "resource"]],
    buckets: STORE_SECONDS,
    bucketsFrom: ["1.27", LATER_SECONDS],
  },
  apiserver_storage_transformation_operations_total: {
    kind: "counter",
    help: "Values encrypted for the store or decrypted from it, by provider and key.",
    labels: ["transformation_type", "transformer_prefix", "status"],
  },
  apiserver_storage_transformation_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the encryption or decryption of a value.",
    labels: ["transformation_type"],
    buckets: TRANSFORMATION_SECONDS,
  },
  apiserver_storage_envelope_transformation_cache_misses_total: {
    kind: "counter",
    help: "Values whose data key was fetched from a key management service.",
    labels: [],
  },
  apiserver_storage_data_key_generation_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the creation of a data key or a seed of data keys, including its encryption by a key management service.",
    labels: [],
    buckets: TRANSFORMATION_SECONDS,
  },
  apiserver_storage_data_key_generation_failures_total: {
    kind: "counter",
    help: "Data keys and seeds that a key management service failed to encrypt.",
    labels: [],
  },
  apiserver_envelope_encryption_dek_cache_fill_percent: {
    kind: "gauge",
    help: "Fill ratio of the cache of data keys, from 0 to 1.",
    labels: [],
  },
  apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds: {
    kind: "histogram",
    help: "Seconds between two values encrypted or decrypted by a key management service.",
    labels: ["transformation_type"],
    buckets: [60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 30_720],
  },
  apiserver_envelope_encryption_kms_operations_latency_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of a key management service.",
    labels: ["provider_name", "method_name", "grpc_status_code"],
    buckets: KMS_SECONDS,
  },
  apiserver_envelope_encryption_invalid_key_id_from_status_total: {
    kind: "counter",
    help: "Invalid key ids returned by a key management service.",
    labels: ["provider_name", "error"],
  },
  apiserver_storage_objects: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects.",
    labels: ["resource"],
    stability: "STABLE",
    deprecated: "1.34",
  },
  apiserver_storage_unreadable_objects: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects that cannot be read.",
    labels: ["resource"],
  },
  apiserver_storage_migrated_objects_total: {
    kind: "counter",
    help: "Objects stored in an outdated form: rewritten in the current form (rewritten), or not (failed).",
    labels: ["resource", "result"],
  },
  apiserver_storage_migration_progress_ratio: {
    kind: "gauge",
    joining: "max",
    help: "Fraction of a resource's objects processed by its storage migration in the current pass.",
    labels: ["resource"],
  },
  etcd_object_counts: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects.",
    labels: ["resource"],
    deprecated: "1.22",
  },
  etcd_db_total_size_in_bytes: {
    kind: "gauge",
    joining: "max",
    help: "Size of the store in bytes.",
    labels: ["endpoint"],
    deprecated: "1.28",
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
