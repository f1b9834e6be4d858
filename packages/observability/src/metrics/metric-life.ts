// Lifecycle of a metric: deprecated metrics are still served, hidden three releases later unless requested, and removed
// one release after that. Source: Kubernetes documentation, "Metrics For Kubernetes System Components", "Metric
// lifecycle".
import { compareReleases } from "@orch/machinery";

export type MetricStage =
  | "served"
  | "deprecated" // served, and its help says so
  | "hidden" // only for `--show-hidden-metrics-for-version`
  | "gone";

const HIDDEN_AFTER_RELEASES = 3;

/**
 * Returns the lifecycle stage of a metric.
 * @param deprecated release such as `1.22`; undefined when the metric is not deprecated
 * @param release the emulated release
 */
export function metricStage(deprecated: string | undefined, release: string): MetricStage {
  if (deprecated === undefined || compareReleases(release, deprecated) < 0) return "served";
  const releases = minorOf(release) - minorOf(deprecated);
  if (releases < HIDDEN_AFTER_RELEASES) return "deprecated";
  return releases === HIDDEN_AFTER_RELEASES ? "hidden" : "gone";
}

const minorOf = (release: string): number => Number(release.split(".")[1]);
