// Counts of the metrics themselves. Source: staging/src/k8s.io/component-base/metrics/registry.go.
import type { MetricStage, Stability } from "./metric-life";

export class MetricTally {
  /** Number of metrics that are hidden because they are deprecated. */
  hidden = 0;
  /** Number of metrics that the command line disables. */
  disabled = 0;
  private readonly counts = new Map<string, number>();

  add(metric: {
    readonly stage: MetricStage;
    readonly stability: Stability;
    readonly deprecated: string | undefined;
    readonly isDisabled: boolean;
    readonly isRendered: boolean;
  }): void {
    const { stage, stability, deprecated, isDisabled, isRendered } = metric;
    if (isDisabled) this.disabled += 1;
    if (stage === "hidden" && !isRendered && !isDisabled) this.hidden += 1;
    if (!isRendered) return;
    const key = `${stability} ${deprecated === undefined ? "" : `${deprecated}.0`}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** Returns the number of served metrics by stability and deprecating release. */
  registered(): readonly { stability_level: string; deprecated_version: string; count: number }[] {
    return [...this.counts].map(([key, count]) => {
      const [stability_level = "", deprecated_version = ""] = key.split(" ");
      return { stability_level, deprecated_version, count };
    });
  }
}
