// What the lane counts, sent to the main thread, which has the metrics: together, once a turn of the loop.
import type { ServerMetrics } from "../metrics/server-metrics";
import type { Observation } from "./lane-work";

type Labels = Readonly<Record<string, string>>;

export class LaneMetrics {
  private collected: Observation[] = [];

  constructor(private readonly send: (observations: readonly Observation[]) => void) {}

  /** As those who count know it. */
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

/** Adds what a lane has counted. */
export function addObservations(metrics: ServerMetrics, observations: readonly Observation[]): void {
  for (const { metric, labels, value } of observations) {
    const known = metrics.find(metric);
    if (known === undefined) continue;
    if ("inc" in known) known.inc({ ...labels }, value);
    else known.labels({ ...labels }).observe(value);
  }
}
