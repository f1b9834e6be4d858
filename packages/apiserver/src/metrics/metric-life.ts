// The end of a metric's life: deprecated it is still served, three releases later it is hidden unless asked for, one more and it is
// gone. Source: resource-api, "Deprecation rules" 9a, 9b and what follows them.
import { compareReleases } from "@orch/machinery";

export type MetricStage =
  | "served"
  | "deprecated" // served, and its help says so
  | "hidden" // only for `--show-hidden-metrics-for-version`
  | "gone";

const HIDDEN_AFTER_RELEASES = 3;

/** @param deprecated release such as `1.22`; undefined: never @param release that is emulated */
export function metricStage(deprecated: string | undefined, release: string): MetricStage {
  if (deprecated === undefined || compareReleases(release, deprecated) < 0) return "served";
  const releases = minorOf(release) - minorOf(deprecated);
  if (releases < HIDDEN_AFTER_RELEASES) return "deprecated";
  return releases === HIDDEN_AFTER_RELEASES ? "hidden" : "gone";
}

const minorOf = (release: string): number => Number(release.split(".")[1]);
