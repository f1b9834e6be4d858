// Metrics of authentication, authorization and audit. Source: staging/src/k8s.io/apiserver/pkg/endpoints/filters/metrics.go,
// pkg/authorization/metrics/metrics.go and pkg/audit/metrics.go there.
import { CONDITION_SECONDS, RELOAD } from "./shared-values";

const TOKEN_CACHE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const DELEGATED_SECONDS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10] as const;
const AUTHENTICATION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
] as const;
const AUTHORIZATION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
] as const;
const GRAPH_SECONDS = [
  0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032, 0.0064, 0.0128, 0.0256, 0.0512, 0.1024, 0.2048,
] as const;
const EXTERNAL_SIGNER_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 30] as const;

export const ACCESS_METRICS = {
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
  apiserver_authentication_config_controller_automatic_reloads_total: {
    kind: "counter",
    help: "Reloads of the authentication configuration after a change of its file, by outcome.",
    labels: RELOAD,
    stability: "BETA",
    since: "1.30",
  },
  apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last reload of the authentication configuration, by outcome.",
    labels: RELOAD,
    stability: "BETA",
    since: "1.30",
  },
  apiserver_authorization_config_controller_automatic_reloads_total: {
    kind: "counter",
    help: "Reloads of the authorization configuration after a change of its file, by outcome.",
    labels: RELOAD,
    stability: "BETA",
    since: "1.30",
  },
  apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last reload of the authorization configuration, by outcome.",
    labels: RELOAD,
    stability: "BETA",
    since: "1.30",
  },
  apiserver_authentication_config_controller_last_config_info: {
    kind: "gauge",
    joining: "max",
    help: "Hash of the authentication configuration in force; the value is 1.",
    labels: ["apiserver_id_hash", "hash"],
    since: "1.35",
  },
  apiserver_authorization_config_controller_last_config_info: {
    kind: "gauge",
    joining: "max",
    help: "Hash of the authorization configuration in force; the value is 1.",
    labels: ["apiserver_id_hash", "hash"],
    since: "1.35",
  },
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last fetch of the keys of a token issuer, by outcome.",
    labels: ["result", "jwt_issuer_hash", "apiserver_id_hash"],
    since: "1.35",
  },
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info: {
    kind: "gauge",
    joining: "max",
    help: "Hash of the keys of a token issuer in use; the value is 1.",
    labels: ["jwt_issuer_hash", "apiserver_id_hash", "hash"],
    since: "1.35",
  },
  apiserver_externaljwt_fetch_keys_request_total: {
    kind: "counter",
    help: "Fetches of the keys of the external signer, by gRPC status.",
    labels: ["code"],
    since: "1.32",
  },
  apiserver_externaljwt_fetch_keys_success_timestamp: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last successful fetch of the keys of the external signer.",
    labels: [],
    since: "1.32",
  },
  apiserver_externaljwt_fetch_keys_data_timestamp: {
    kind: "gauge",
    joining: "max",
    help: "Time that the external signer stated for the keys that were fetched last.",
    labels: [],
    since: "1.32",
  },
  apiserver_externaljwt_sign_request_total: {
    kind: "counter",
    help: "Tokens that the external signer was asked to sign, by gRPC status.",
    labels: ["code"],
    since: "1.32",
  },
  apiserver_externaljwt_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of the external signer.",
    labels: ["method", "code"],
    buckets: EXTERNAL_SIGNER_SECONDS,
    since: "1.32",
  },
} as const;
