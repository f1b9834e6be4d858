// Results of the health checks as metrics, served at /metrics/slis. Source:
// staging/src/k8s.io/component-base/metrics/prometheus/slis/metrics.go; KEP-3466.
import { MetricSet } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";

export class HealthIndicators {
  private readonly set = new MetricSet();
  private readonly result;
  private readonly results;

  /** @param names of the metrics, which contain the product's name */
  constructor(names: Pick<Vocabulary["metricsNames"], "healthcheck" | "healthchecksTotal">) {
    const started = { name: "process_start_time_seconds", help: "Start of the process.", labels: [] };
    this.set.gauge(started).set(performance.timeOrigin / 1000);
    this.result = this.set.gauge({
      name: names.healthcheck,
      help: "Result of a health check: 1 when it passed, else 0.",
      labels: ["name", "type"],
      stability: "STABLE",
    });
    this.results = this.set.counter({
      name: names.healthchecksTotal,
      help: "Results of health checks, by outcome.",
      labels: ["name", "type", "status"],
      stability: "STABLE",
    });
  }

  /** Records the result of a check. @param type endpoint that ran it */
  record(name: string, type: string, passed: boolean): void {
    this.result.set({ name, type }, passed ? 1 : 0);
    this.results.inc({ name, type, status: passed ? "success" : "error" });
  }

  /** Returns the exposition text. */
  render(): Promise<string> {
    return this.set.render();
  }
}
