// Metrics of encryption in the store. Source: staging/src/k8s.io/apiserver/pkg/storage/value/metrics.go and
// pkg/storage/value/encrypt/envelope/metrics/metrics.go there.
import { RELOAD } from "./shared-values";

const TRANSFORMATION_SECONDS = [
  0.000005, 0.00001, 0.00002, 0.00004, 0.00008, 0.00016, 0.00032, 0.00064, 0.00128, 0.00256, 0.00512, 0.01024, 0.02048,
  0.04096,
] as const;
const KMS_SECONDS = [
  0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032, 0.0064, 0.0128, 0.0256, 0.0512, 0.1024, 0.2048, 0.4096, 0.8192,
] as const;

export const ENCRYPTION_METRICS = {
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
  apiserver_encryption_config_controller_automatic_reloads_total: {
    kind: "counter",
    help: "Reloads of the encryption configuration after a change of its file, by outcome.",
    labels: RELOAD,
    since: "1.30",
  },
  apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last reload of the encryption configuration, by outcome.",
    labels: RELOAD,
    since: "1.30",
  },
  apiserver_encryption_config_controller_last_config_info: {
    kind: "gauge",
    joining: "max",
    help: "Hash of the encryption configuration in force; the value is 1.",
    labels: ["apiserver_id_hash", "hash"],
    since: "1.35",
  },
  apiserver_envelope_encryption_key_id_hash_total: {
    kind: "counter",
    help: "Values encrypted or decrypted with a key of a key management service (KMS v2).",
    labels: ["transformation_type", "provider_name", "key_id_hash", "apiserver_id_hash"],
    since: "1.27",
  },
  apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time of the last use of a key of a key management service (KMS v2).",
    labels: ["transformation_type", "provider_name", "key_id_hash", "apiserver_id_hash"],
    since: "1.27",
  },
  apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Time at which a key management service (KMS v2) named the key last.",
    labels: ["provider_name", "key_id_hash", "apiserver_id_hash"],
    since: "1.27",
  },
} as const;
