// Metrics of the compaction of a store.
import type { ServerMetrics } from "./server-metrics";

/** @param cluster value of the label `storage_cluster_id`, by which all metrics tell the stores apart */
export function compactionFigures(metrics: ServerMetrics, cluster: string): (result: "done" | "failed") => void {
  const labels = { storage_cluster_id: cluster };
  const failures = metrics.counter("apiserver_storage_compaction_failures_total");
  failures.inc(labels, 0);
  return (result) => {
    if (result === "failed") failures.inc(labels);
    else
      metrics
        .gauge("apiserver_storage_compaction_last_success_timestamp_seconds")
        .set(labels, Math.floor(Date.now() / 1000));
  };
}
