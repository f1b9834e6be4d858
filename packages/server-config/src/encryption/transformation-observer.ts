// Metrics of value encryption and decryption. Source: staging/src/k8s.io/apiserver/pkg/storage/value/metrics.go.
import type { NamedMetrics } from "@orch/platform";
import type { TransformationObserver } from "@orch/store";

export type TransformationMetrics = NamedMetrics<
  "apiserver_storage_transformation_operations_total",
  never,
  "apiserver_storage_transformation_duration_seconds"
>;

export function transformationObserver(metrics: TransformationMetrics): TransformationObserver {
  const operations = metrics.counter("apiserver_storage_transformation_operations_total");
  const seconds = metrics.histogram("apiserver_storage_transformation_duration_seconds");
  const byType = {
    to_storage: seconds.labels({ transformation_type: "to_storage" }),
    from_storage: seconds.labels({ transformation_type: "from_storage" }),
  };
  return ({ type, prefix, isDone, seconds: took }) => {
    const status = isDone ? "OK" : "Unknown";
    operations.inc({ transformation_type: type, transformer_prefix: prefix, status });
    byType[type].observe(took);
  };
}
