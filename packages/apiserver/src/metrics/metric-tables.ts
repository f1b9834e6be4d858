// The metrics of the API server: names, labels and buckets. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go and the metrics files of the packages that each metric
// describes.

import type { Joining } from "@orch/platform";

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
}

/** A summary with the sums and counts of the preceding histogram. */
export interface SummaryRow extends Described {
  readonly kind: "summary";
  readonly of: string;
}

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
  /** Default: ALPHA, which allows changes of name and labels. */
  readonly stability?: "ALPHA" | "STABLE";
  /** Release that deprecates the metric. */
  readonly deprecated?: string;
}

const REQUEST = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const;
const PLACE = ["verb", "group", "version", "resource", "subresource", "scope"] as const;
const KIND = ["group", "version", "kind"] as const;

const REQUEST_SECONDS = [
  0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;
const STORE_SECONDS = [0.005, 0.01, 0.025, ...REQUEST_SECONDS] as const;
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
  apiserver_request_total: {
    kind: "counter",
    help: "Finished requests.",
    labels: [...REQUEST, "contentType", "code"],
  },
  apiserver_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds from a request's arrival to the end of its answer.",
    labels: REQUEST,
    buckets: REQUEST_SECONDS,
  },
  apiserver_response_sizes: {
    kind: "histogram",
    help: "Bytes of the answers to reading requests.",
    labels: [...PLACE, "component"],
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
  },
  apiserver_longrunning_gauge: {
    kind: "gauge",
    help: "Long-running requests that are open.",
    labels: [...PLACE, "component"],
  },
  apiserver_current_inflight_requests: {
    kind: "gauge",
    help: "Most requests that were in flight at once in the last second.",
    labels: ["request_kind"],
  },
  apiserver_log_lines_lost_total: {
    kind: "counter",
    help: "Lines of the log that could not be written.",
    labels: [],
  },
  apiserver_dropped_requests_total: {
    kind: "counter",
    help: "Requests refused because too many were in flight.",
    labels: ["request_kind"],
  },
  apiserver_flowcontrol_rejected_requests_total: {
    kind: "counter",
    help: "Requests refused by priority and fairness, by what for.",
    labels: [...FLOW, "reason"],
  },
  apiserver_flowcontrol_dispatched_requests_total: {
    kind: "counter",
    help: "Requests that priority and fairness let begin.",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_inqueue_requests: {
    kind: "gauge",
    help: "Requests that wait in queues of priority and fairness.",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_executing_requests: {
    kind: "gauge",
    help: "Requests that are worked on, the beginnings of watches included.",
    labels: FLOW,
  },
  apiserver_flowcontrol_request_queue_length_after_enqueue: {
    kind: "histogram",
    help: "Requests in a queue, each time that one has come.",
    labels: FLOW,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  },
  apiserver_flowcontrol_request_concurrency_limit: {
    kind: "gauge",
    help: "Seats of a priority level by its shares.",
    labels: ["priority_level"],
  },
  apiserver_flowcontrol_request_wait_duration_seconds: {
    kind: "histogram",
    help: "Seconds that requests waited in queues, and whether they were worked on then.",
    labels: [...FLOW, "execute"],
    buckets: QUEUE_SECONDS,
  },
  apiserver_flowcontrol_request_execution_seconds: {
    kind: "histogram",
    help: "Seconds that requests were worked on.",
    labels: FLOW,
    buckets: QUEUE_SECONDS,
  },
  apiserver_flowcontrol_priority_level_request_count_samples: {
    kind: "histogram",
    help: "Requests of a priority level as a part of what it has room for, looked at every millisecond.",
    labels: ["phase", "priority_level"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_priority_level_request_count_watermarks: {
    kind: "histogram",
    help: "The least and the most of these between two looks.",
    labels: ["mark", "phase", "priority_level"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_read_vs_write_request_count_samples: {
    kind: "histogram",
    help: "Reading and mutating requests as a part of --max-requests-inflight and --max-mutating-requests-inflight, looked at every millisecond.",
    labels: ["phase", "request_kind"],
    buckets: RATIOS,
  },
  apiserver_flowcontrol_read_vs_write_request_count_watermarks: {
    kind: "histogram",
    help: "The least and the most of these between two looks.",
    labels: ["mark", "phase", "request_kind"],
    buckets: RATIOS,
  },
  apiserver_request_terminations_total: {
    kind: "counter",
    help: "Requests that the server ended before their handler did.",
    labels: [...PLACE, "component", "code"],
  },
  apiserver_request_aborts_total: {
    kind: "counter",
    help: "Requests whose answer the server broke off.",
    labels: PLACE,
  },
  apiserver_request_filter_duration_seconds: {
    kind: "histogram",
    help: "Seconds that a step of the pipeline took.",
    labels: ["filter"],
    buckets: FILTER_SECONDS,
  },
  apiserver_tls_handshake_errors_total: { kind: "counter", help: "Failed TLS handshakes.", labels: [] },
  apiserver_connections: { kind: "gauge", help: "Connections that are open.", labels: [] },
  apiserver_open_requests: {
    kind: "gauge",
    help: "Requests whose answers are not over, long-running ones included.",
    labels: [],
  },
  apiserver_connections_closed_total: {
    kind: "counter",
    help: "Connections that the server closed, by what for.",
    labels: ["reason"],
  },
  apiserver_connection_failures_total: {
    kind: "counter",
    help: "Failures that ended one connection or request, by where they happened.",
    labels: ["place"],
  },
  apiserver_request_body_bytes: {
    kind: "gauge",
    help: "Memory that the bodies of requests in work take.",
    labels: [],
  },
  apiserver_unread_bytes: {
    kind: "gauge",
    help: "Bytes that clients were last seen to keep waiting.",
    labels: [],
  },
  apiserver_registered_watchers: { kind: "gauge", help: "Open watches.", labels: KIND },
  apiserver_watch_events_total: { kind: "counter", help: "Events sent to watches.", labels: KIND },
  apiserver_watch_events_sizes: {
    kind: "histogram",
    help: "Bytes of the events sent to watches.",
    labels: KIND,
    buckets: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
  },
  apiserver_init_events_total: {
    kind: "counter",
    help: "Objects that watches began with.",
    labels: ["resource"],
  },
  watch_cache_capacity_increase_total: {
    kind: "counter",
    help: "How often room was made for more recent changes of a resource.",
    labels: ["resource"],
  },
  watch_cache_capacity_decrease_total: {
    kind: "counter",
    help: "How often room for recent changes of a resource was given up.",
    labels: ["resource"],
  },
  apiserver_requested_deprecated_apis: {
    kind: "gauge",
    joining: "max",
    help: "1 for each deprecated API that was requested.",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
  },
  pod_security_evaluations_total: {
    kind: "counter",
    help: "Pods, and templates of pods, that were looked at by the pod security standards; of audit and warn only those that break them.",
    labels: ["decision", "policy_level", "policy_version", "mode", ...POD_SECURITY],
  },
  pod_security_exemptions_total: {
    kind: "counter",
    help: "Requests that the pod security standards do not concern, by whom or where they are made.",
    labels: POD_SECURITY,
  },
  pod_security_errors_total: {
    kind: "counter",
    help: "Requests of which it could not be told what their namespace asks for, and whether they were refused for it.",
    labels: ["fatal", ...POD_SECURITY],
  },
  apiserver_admission_step_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds that all admission plugins together took.",
    labels: ["type", "operation", "rejected"],
    buckets: ADMISSION_SECONDS,
  },
  apiserver_admission_step_admission_duration_seconds_summary: {
    kind: "summary",
    help: "Seconds that all admission plugins together took.",
    labels: ["type", "operation", "rejected"],
    of: "apiserver_admission_step_admission_duration_seconds",
  },
  apiserver_admission_controller_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds that an admission plugin took.",
    labels: ["name", "type", "operation", "rejected"],
    buckets: ADMISSION_SECONDS,
  },
  apiserver_admission_webhook_admission_duration_seconds: {
    kind: "histogram",
    help: "Seconds that an admission webhook took.",
    labels: ["name", "type", "operation", "rejected"],
    buckets: ADMISSION_WEBHOOK_SECONDS,
  },
  apiserver_validating_admission_policy_check_total: {
    kind: "counter",
    help: "Expressions of validating admission policies that did not hold or failed, by what became of it.",
    labels: POLICY_CHECK,
  },
  apiserver_validating_admission_policy_check_duration_seconds: {
    kind: "histogram",
    help: "Seconds that validating admission policies took until an expression did not hold or failed.",
    labels: POLICY_CHECK,
    buckets: POLICY_SECONDS,
  },
  apiserver_mutating_admission_policy_check_total: {
    kind: "counter",
    help: "Mutating admission policies that were evaluated, by what became of it.",
    labels: POLICY_CHECK,
  },
  apiserver_mutating_admission_policy_check_duration_seconds: {
    kind: "histogram",
    help: "Seconds that mutating admission policies took.",
    labels: POLICY_CHECK,
    buckets: POLICY_SECONDS,
  },
  apiserver_admission_webhook_rejection_count: {
    kind: "counter",
    help: "Requests refused because of an admission webhook, by what was wrong and the code that it refused with.",
    labels: ["name", "type", "operation", "error_type", "rejection_code"],
  },
  apiserver_admission_webhook_fail_open_count: {
    kind: "counter",
    help: "Requests that went on although an admission webhook had failed.",
    labels: ["name", "type"],
  },
  apiserver_admission_webhook_request_total: {
    kind: "counter",
    help: "Calls of an admission webhook, by the code that stands for what came of them.",
    labels: ["name", "type", "operation", "code", "rejected"],
  },
  apiserver_admission_webhook_withheld_total: {
    kind: "counter",
    help: "Calls of admission webhooks that were not made, for it keeps failing or does not answer, by why.",
    labels: ["name", "type", "reason"],
  },
  apiserver_admission_webhook_circuit_broken: {
    kind: "gauge",
    joining: "max",
    help: "1 for each admission webhook that keeps failing: it is skipped for a while, or called by few requests at a time.",
    labels: ["name", "type"],
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    kind: "counter",
    help: "Match conditions that could not say whether a request is meant.",
    labels: ["name", "kind", "type", "operation"],
  },
  apiserver_admission_match_condition_exclusions_total: {
    kind: "counter",
    help: "Requests that match conditions have left out.",
    labels: ["name", "kind", "type", "operation"],
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    kind: "histogram",
    help: "Seconds that match conditions took together.",
    labels: ["name", "kind", "type", "operation"],
    buckets: CONDITION_SECONDS,
  },
  apiserver_crd_webhook_conversion_duration_seconds: {
    kind: "histogram",
    help: "Seconds that a call of a conversion webhook took.",
    labels: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: CONVERSION_SECONDS,
  },
  aggregator_unavailable_apiservice: {
    kind: "gauge",
    joining: "max",
    help: "1 for each APIService whose extension server does not answer, else 0.",
    labels: ["name"],
  },
  aggregator_unavailable_apiservice_total: {
    kind: "counter",
    help: "How often an APIService became unavailable, by why.",
    labels: ["name", "reason"],
  },
  apiserver_audit_event_total: {
    kind: "counter",
    help: "Audit events made, and handed to those who keep them.",
    labels: [],
  },
  apiserver_audit_error_total: {
    kind: "counter",
    help: "Audit events that were lost or are late, by where.",
    labels: ["plugin"],
  },
  apiserver_audit_level_total: { kind: "counter", help: "Requests by the level of their audit.", labels: ["level"] },
  apiserver_audit_requests_rejected_total: {
    kind: "counter",
    help: "Requests refused because their audit event could not be kept.",
    labels: [],
  },
  apiserver_configuration_reloads_total: {
    kind: "counter",
    help: "Files of options that were read again because they changed, by outcome.",
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
    help: "Seconds that an authentication took.",
    labels: ["result"],
    buckets: AUTHENTICATION_SECONDS,
  },
  authentication_token_cache_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds that it took to find out about a token, by whether it was known.",
    labels: ["status"],
    buckets: TOKEN_CACHE_SECONDS,
  },
  authentication_token_cache_request_total: {
    kind: "counter",
    help: "Tokens that came with requests, by whether they were known.",
    labels: ["status"],
  },
  authentication_token_cache_fetch_total: {
    kind: "counter",
    help: "Tokens that were verified, by outcome.",
    labels: ["status"],
  },
  authentication_token_cache_active_fetch_count: {
    kind: "gauge",
    help: "Tokens that are being verified, and requests that wait for one that others have brought.",
    labels: ["status"],
  },
  apiserver_delegated_authn_request_total: {
    kind: "counter",
    help: "Questions to the webhook for tokens, by the HTTP status of the answer.",
    labels: ["code"],
  },
  apiserver_delegated_authn_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds that the webhook for tokens took to answer, by HTTP status.",
    labels: ["code"],
    buckets: DELEGATED_SECONDS,
  },
  apiserver_authentication_jwt_authenticator_latency_seconds: {
    kind: "histogram",
    help: "Seconds that the verification of a token took, by outcome and issuer.",
    labels: ["result", "jwt_issuer_hash"],
    buckets: AUTHENTICATION_SECONDS,
  },
  apiserver_authentication_jwt_authenticator_jwks_fetches_total: {
    kind: "counter",
    help: "Times that the keys of an issuer of tokens were fetched, by outcome.",
    labels: ["result", "jwt_issuer_hash"],
  },
  serviceaccount_legacy_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens that are kept in Secrets.",
    labels: [],
  },
  serviceaccount_legacy_auto_token_uses_total: {
    kind: "counter",
    help: "Uses, where they are followed, of service account tokens in Secrets that were made unasked.",
    labels: [],
  },
  serviceaccount_legacy_manual_token_uses_total: {
    kind: "counter",
    help: "Uses, where they are followed, of service account tokens in Secrets that somebody made for them.",
    labels: [],
  },
  serviceaccount_invalid_legacy_auto_token_uses_total: {
    kind: "counter",
    help: "Uses of service account tokens in Secrets that are marked invalid.",
    labels: [],
  },
  serviceaccount_stale_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens after the time that was asked for them.",
    labels: [],
  },
  serviceaccount_valid_tokens_total: {
    kind: "counter",
    help: "Uses of service account tokens within the time that was asked for them, though they live longer.",
    labels: [],
  },
  apiserver_client_certificate_expiration_seconds: {
    kind: "histogram",
    help: "Seconds that the certificates of clients were still valid for when they were used.",
    labels: [],
    buckets: [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000],
  },
  authorization_attempts_total: { kind: "counter", help: "Authorizations by outcome.", labels: ["result"] },
  authorization_duration_seconds: {
    kind: "histogram",
    help: "Seconds that an authorization took.",
    labels: ["result"],
    buckets: AUTHORIZATION_SECONDS,
  },
  apiserver_authorization_decisions_total: {
    kind: "counter",
    help: "What authorizers have decided.",
    labels: ["type", "name", "decision"],
  },
  apiserver_authorization_webhook_evaluations_total: {
    kind: "counter",
    help: "Questions to authorization webhooks, by outcome.",
    labels: ["name", "result"],
  },
  apiserver_authorization_webhook_duration_seconds: {
    kind: "histogram",
    help: "Seconds that a question to an authorization webhook took, with all its tries.",
    labels: ["name", "result"],
    buckets: WEBHOOK_SECONDS,
  },
  apiserver_authorization_webhook_evaluations_fail_open_total: {
    kind: "counter",
    help: "Failures of authorization webhooks that were taken for no opinion.",
    labels: ["name", "result"],
  },
  apiserver_authorization_match_condition_evaluation_seconds: {
    kind: "histogram",
    help: "Seconds that the conditions of an authorizer took.",
    labels: ["type", "name"],
    buckets: CONDITION_SECONDS,
  },
  apiserver_authorization_match_condition_evaluation_errors_total: {
    kind: "counter",
    help: "Conditions of an authorizer that could not say whether it is to be asked.",
    labels: ["type", "name"],
  },
  apiserver_authorization_match_condition_exclusions_total: {
    kind: "counter",
    help: "Requests about which an authorizer was not asked, by its conditions.",
    labels: ["type", "name"],
  },
  node_authorizer_graph_actions_duration_seconds: {
    kind: "histogram",
    help: "Seconds that a change of what node agents may read took.",
    labels: ["operation"],
    buckets: GRAPH_SECONDS,
  },
  etcd_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds that a call of the store took.",
    labels: ["operation", "type"],
    buckets: STORE_SECONDS,
  },
  apiserver_storage_transformation_operations_total: {
    kind: "counter",
    help: "Values that were encrypted on their way to the store, or decrypted on their way back, by provider and key.",
    labels: ["transformation_type", "transformer_prefix", "status"],
  },
  apiserver_storage_transformation_duration_seconds: {
    kind: "histogram",
    help: "Seconds that encrypting or decrypting a value took.",
    labels: ["transformation_type"],
    buckets: TRANSFORMATION_SECONDS,
  },
  apiserver_storage_envelope_transformation_cache_misses_total: {
    kind: "counter",
    help: "Values whose data key had to be asked for from a key management service.",
    labels: [],
  },
  apiserver_storage_data_key_generation_duration_seconds: {
    kind: "histogram",
    help: "Seconds that making a data key, or a seed of data keys, took with its encryption by a key management service.",
    labels: [],
    buckets: TRANSFORMATION_SECONDS,
  },
  apiserver_storage_data_key_generation_failures_total: {
    kind: "counter",
    help: "Data keys and seeds that a key management service has not encrypted.",
    labels: [],
  },
  apiserver_envelope_encryption_dek_cache_fill_percent: {
    kind: "gauge",
    help: "How much is kept of the data keys that may be, from 0 to 1.",
    labels: [],
  },
  apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds: {
    kind: "histogram",
    help: "Seconds between a value that is encrypted or decrypted by a key management service and the next.",
    labels: ["transformation_type"],
    buckets: [60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 30_720],
  },
  apiserver_envelope_encryption_kms_operations_latency_seconds: {
    kind: "histogram",
    help: "Seconds that a key management service took for a call.",
    labels: ["provider_name", "method_name", "grpc_status_code"],
    buckets: KMS_SECONDS,
  },
  apiserver_envelope_encryption_invalid_key_id_from_status_total: {
    kind: "counter",
    help: "Times that a key management service has told of its key by an id that is none.",
    labels: ["provider_name", "error"],
  },
  apiserver_storage_objects: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects.",
    labels: ["resource"],
    stability: "STABLE",
  },
  apiserver_storage_unreadable_objects: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects that cannot be read.",
    labels: ["resource"],
  },
  apiserver_storage_migrated_objects_total: {
    kind: "counter",
    help: "Objects that lay in the store in a former form: stored again in the present one (rewritten), or not to be (failed).",
    labels: ["resource", "result"],
  },
  apiserver_storage_migration_progress_ratio: {
    kind: "gauge",
    joining: "max",
    help: "Share of a resource's objects that its migration has looked at, in its present pass.",
    labels: ["resource"],
  },
  etcd_object_counts: {
    kind: "gauge",
    joining: "max",
    help: "Stored objects.",
    labels: ["resource"],
    deprecated: "1.22",
  },
  etcd_db_total_size_in_bytes: { kind: "gauge", joining: "max", help: "Bytes of the store.", labels: ["endpoint"] },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
