// Metrics of a large-object worker, sent to the main thread, which holds the registry: one batch per turn of the event
// loop.
import type { ServerMetrics } from "@orch/observability";
import type { Observation } from "./worker-calls";

type Labels = Readonly<Record<string, string>>;

export class WorkerMetrics {
  private collected: Observation[] = [];

  constructor(private readonly send: (observations: readonly Observation[]) => void) {}

  /** The observer as the metric sources expect it. */
  get seen(): ServerMetrics {
    return this as unknown as ServerMetrics;
  }

  counter(metric: string) {
    return {
      inc: (labels: Labels = {}, value = 1) => this.collect({ metric, labels, value }),
      labels: (labels: Labels) => ({ inc: (value = 1) => this.collect({ metric, labels, value }) }),
    };
  }

  histogram(metric: string) {
    return { labels: (labels: Labels) => ({ observe: (value: number) => this.collect({ metric, labels, value }) }) };
  }

  private collect(observation: Observation): void {
    if (this.collected.length === 0) setImmediate(() => this.flush());
    this.collected.push(observation);
  }

  private flush(): void {
    const { collected } = this;
    this.collected = [];
    this.send(collected);
  }
}

/** Adds the observations of a worker. */
export function addObservations(metrics: ServerMetrics, observations: readonly Observation[]): void {
  for (const { metric, labels, value } of observations) {
    const known = metrics.find(metric);
    if (known === undefined) continue;
    if ("inc" in known) known.inc({ ...labels }, value);
    else known.labels({ ...labels }).observe(value);
  }
}
