import type { Counter, Gauge } from "prom-client";
import type { BucketHistogram } from "./bucket-histogram";

/** Metrics that a component records: the names that it uses of the metrics of its server. */
export interface NamedMetrics<
  Counters extends string,
  Gauges extends string = never,
  Histograms extends string = never,
> {
  counter(name: Counters): Counter;
  gauge(name: Gauges): Gauge;
  histogram(name: Histograms): BucketHistogram;
}
