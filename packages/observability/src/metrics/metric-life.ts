// Lifecycle of a metric: a deprecated metric is still served for some releases, then hidden unless it is requested, and
// removed one release after that. Source: Kubernetes documentation, "Metrics For Kubernetes System Components", "Metric
// lifecycle"; staging/src/k8s.io/component-base/metrics/registry.go, `shouldHide`.
import { compareReleases } from "@orch/machinery";

export type Stability = "ALPHA" | "BETA" | "STABLE";

export type MetricStage =
  | "absent" // not yet introduced
  | "served"
  | "deprecated" // served, and its help says so
  | "hidden" // only for `--show-hidden-metrics-for-version`
  | "gone";

const HIDDEN_AFTER_RELEASES: Readonly<Record<Stability, number>> = { STABLE: 3, BETA: 1, ALPHA: 1 };

export interface MetricLife {
  /** First release that has the metric; undefined when all have it. */
  readonly since?: string | undefined;
  /** Release such as `1.22`; undefined when the metric is not deprecated. */
  readonly deprecated?: string | undefined;
  readonly stability?: Stability | undefined;
  /** First release without the metric; undefined when its deprecation decides. */
  readonly until?: string | undefined;
}

/** Returns the lifecycle stage of a metric. @param release the emulated release */
export function metricStage(
  { since, deprecated, until, stability = "ALPHA" }: MetricLife,
  release: string,
): MetricStage {
  if (since !== undefined && compareReleases(release, since) < 0) return "absent";
  if (until !== undefined && compareReleases(release, until) >= 0) return "gone";
  if (deprecated === undefined || compareReleases(release, deprecated) < 0) return "served";
  const releases = minorOf(release) - minorOf(deprecated);
  const hiddenAfter = HIDDEN_AFTER_RELEASES[stability];
  if (releases < hiddenAfter) return "deprecated";
  return releases === hiddenAfter ? "hidden" : "gone";
}

const minorOf = (release: string): number => Number(release.split(".")[1]);

/** Release that introduced the stability level BETA; metrics of earlier releases are ALPHA instead. */
const BETA_SINCE = "1.26";

/** Returns the stability that the help of a metric names. */
export const shownStability = (stability: Stability, release: string): Stability =>
  stability === "BETA" && compareReleases(release, BETA_SINCE) < 0 ? "ALPHA" : stability;
