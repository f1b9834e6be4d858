// Metrics of key management services. Source:
// staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope/metrics.go.
import type { NamedMetrics } from "@orch/platform";
import type { KmsObserver } from "@orch/store";

export type KmsMetrics = NamedMetrics<
  | "apiserver_storage_data_key_generation_failures_total"
  | "apiserver_storage_envelope_transformation_cache_misses_total"
  | "apiserver_envelope_encryption_invalid_key_id_from_status_total",
  "apiserver_envelope_encryption_dek_cache_fill_percent",
  | "apiserver_envelope_encryption_kms_operations_latency_seconds"
  | "apiserver_storage_data_key_generation_duration_seconds"
  | "apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds"
>;

export function kmsObserver(metrics: KmsMetrics): KmsObserver {
  const calls = metrics.histogram("apiserver_envelope_encryption_kms_operations_latency_seconds");
  const keySeconds = metrics.histogram("apiserver_storage_data_key_generation_duration_seconds").labels({});
  const failures = metrics.counter("apiserver_storage_data_key_generation_failures_total");
  const misses = metrics.counter("apiserver_storage_envelope_transformation_cache_misses_total");
  const fill = metrics.gauge("apiserver_envelope_encryption_dek_cache_fill_percent");
  const pauses = metrics.histogram("apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds");
  const pausesOf = {
    to_storage: pauses.labels({ transformation_type: "to_storage" }),
    from_storage: pauses.labels({ transformation_type: "from_storage" }),
  };
  const invalidIds = metrics.counter("apiserver_envelope_encryption_invalid_key_id_from_status_total");
  return {
    called({ provider, method, status, tookSeconds }) {
      calls.labels({ provider_name: provider, method_name: method, grpc_status_code: status }).observe(tookSeconds);
    },
    keyMade: (tookSeconds) => keySeconds.observe(tookSeconds),
    keyFailed: () => failures.inc(),
    keyMissed: () => misses.inc(),
    keysKept: (share) => fill.set(share),
    passed: (way, seconds) => pausesOf[way].observe(seconds),
    invalidKeyId: (provider, error) => invalidIds.inc({ provider_name: provider, error }),
  };
}
