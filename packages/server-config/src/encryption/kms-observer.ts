// Metrics of key management services. Source:
// staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope/metrics.go.
import type { NamedMetrics } from "@orch/platform";
import type { KmsObserver, Way } from "@orch/store";
import { hashText, identityHash } from "../option-files/configuration-hash";

export type KmsMetrics = NamedMetrics<
  | "apiserver_storage_data_key_generation_failures_total"
  | "apiserver_storage_envelope_transformation_cache_misses_total"
  | "apiserver_envelope_encryption_invalid_key_id_from_status_total"
  | "apiserver_envelope_encryption_key_id_hash_total",
  | "apiserver_envelope_encryption_dek_cache_fill_percent"
  | "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds"
  | "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
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
  const keys = new KeyFigures(metrics);
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
    keyUsed: (provider, keyId, way) => keys.used(provider, keyId, way),
    keyNamed: (provider, keyId) => keys.named(provider, keyId),
  };
}

/** Maximum number of keys with series. A service changes its key rarely; a fault of it must not create series forever. */
const KEYS_MAX = 100;

/** Metrics of the keys of a service, by hash: a key id is not suitable as a label. */
class KeyFigures {
  private readonly known = new Map<string, { inc(): void; at(seconds: number): void }>();
  private readonly namedKeys = new Map<string, Record<string, string>>();

  constructor(private readonly metrics: KmsMetrics) {}

  used(provider: string, keyId: string, way: Way): void {
    const id = `${way}/${provider}/${keyId}`;
    let figures = this.known.get(id);
    if (figures === undefined) {
      if (this.known.size >= KEYS_MAX) return;
      figures = this.figuresOf({ transformation_type: way, ...labelsOf(provider, keyId) });
      this.known.set(id, figures);
    }
    figures.inc();
    figures.at(Date.now() / 1000);
  }

  named(provider: string, keyId: string): void {
    const id = `${provider}/${keyId}`;
    let labels = this.namedKeys.get(id);
    if (labels === undefined) {
      if (this.namedKeys.size >= KEYS_MAX) return;
      labels = labelsOf(provider, keyId);
      this.namedKeys.set(id, labels);
    }
    this.metrics
      .gauge("apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds")
      .set(labels, Date.now() / 1000);
  }

  private figuresOf(labels: Record<string, string>) {
    const count = this.metrics.counter("apiserver_envelope_encryption_key_id_hash_total").labels(labels);
    const last = this.metrics.gauge("apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds").labels(labels);
    return { inc: () => count.inc(), at: (seconds: number) => last.set(seconds) };
  }
}

const labelsOf = (provider: string, keyId: string): Record<string, string> => ({
  provider_name: provider,
  key_id_hash: hashText(keyId),
  apiserver_id_hash: identityHash(),
});
