// Metrics of a program, in a registry of its own so that several programs fit in a process. The library is loaded with
// the first set, and only the used parts of it: loading all of it takes twenty times as long and would delay every
// start.
import type { Counter, Gauge, Metric, Registry } from "prom-client";
import { whenIdle } from "../time/when-idle";
import { BucketHistogram, HistogramSummary } from "./bucket-histogram";
import { type Joining, joined, type Parts, snapshotOf } from "./joined-metrics";

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Stability level. Default ALPHA: name and labels may still change. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE";
  /** Release since which the metric is deprecated; shown in its help. */
  readonly deprecated?: string | undefined;
  /** Whether the metric is rendered, or only kept. Default true. */
  readonly isServed?: boolean;
  /** Merge of a gauge's values from several processes. Default: their sum. */
  readonly joining?: Joining | undefined;
}

export class MetricSet {
  private readonly library = loaded();
  private readonly registry = new this.library.Registry();
  private measuresProcess: "no" | "soon" | "yes" = "no";
  private callOff: (() => void) | undefined;

  counter(options: MetricOptions): Counter {
    return withQuickChildren(new this.library.Counter(this.described(options)));
  }

  /** @param collect sets the values at each scrape */
  gauge(options: MetricOptions, collect?: (gauge: Gauge) => void): Gauge {
    const described = this.described(options);
    if (collect === undefined) return new this.library.Gauge(described);
    return new this.library.Gauge({
      ...described,
      collect() {
        collect(this);
      },
    });
  }

  /** @param options buckets: upper bounds, ascending */
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): BucketHistogram {
    return new BucketHistogram({ ...this.described(options), buckets: options.buckets });
  }

  /** Adds a summary with the sums and counts of a histogram. */
  summary(options: MetricOptions & { readonly of: BucketHistogram }): void {
    new HistogramSummary({ ...this.described(options), of: options.of });
  }

  /** Adds the process metrics, some time later or at the first scrape. */
  measureProcess(): void {
    this.measuresProcess = "soon";
    this.callOff = whenIdle(() => this.beginMeasuring());
  }

  /** Cancels work that has not started. */
  close(): void {
    this.callOff?.();
  }

  private beginMeasuring(): void {
    if (this.measuresProcess !== "soon") return;
    this.measuresProcess = "yes";
    const { collectDefaultMetrics } = require("prom-client") as Library;
    collectDefaultMetrics({ register: this.registry });
  }

  /** Returns a metric as rendered; undefined when it is not rendered. */
  rendered(name: string): unknown {
    return this.registry.getSingleMetric(name);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns the exposition text. */
  render(): Promise<string> {
    this.beginMeasuring();
    return this.registry.metrics();
  }

  /** Returns a snapshot for another process: a text for each metric. */
  snapshot(): Promise<readonly string[]> {
    this.beginMeasuring();
    return snapshotOf(this.registry);
  }

  /** Returns the exposition text of several processes. */
  async renderJoined(parts: Parts): Promise<string> {
    const registry = new this.library.Registry();
    for (const metric of await joined(parts)) {
      registry.registerMetric({ ...metric, get: async () => metric } as unknown as Metric);
    }
    return registry.metrics();
  }

  private described(options: MetricOptions) {
    const { name, labels, isServed = true, joining = "sum" } = options;
    const registers: Registry[] = isServed ? [this.registry] : [];
    return { name, help: helpOf(options), labelNames: [...labels], registers, aggregator: joining };
  }
}

/**
 * Speeds up the children of a counter. The library combines the labels at each count; here that happens once per child.
 */
function withQuickChildren(counter: Counter): Counter {
  const childOf = counter.labels.bind(counter) as (...labels: never[]) => { inc(value: number): unknown };
  const labels = (...of: never[]) => {
    const child = childOf(...of);
    let hash: string | undefined;
    return {
      inc(value = 1): void {
        // Creates the series again after it was removed.
        const series = hash === undefined ? undefined : (counter as unknown as CounterSeries).hashMap[hash];
        if (series === undefined) hash = (child.inc(value) as { readonly labelHash: string }).labelHash;
        else series.value += value;
      },
    };
  };
  return Object.assign(counter, { labels });
}

interface CounterSeries {
  readonly hashMap: Readonly<Record<string, { value: number } | undefined>>;
}

type Library = typeof import("prom-client");

const loaded = (): Pick<Library, "Counter" | "Gauge" | "Registry"> => ({
  Counter: require("prom-client/lib/counter"),
  Gauge: require("prom-client/lib/gauge"),
  Registry: require("prom-client/lib/registry"),
});

/** Returns the help text with stability and deprecation, as in the metrics of Kubernetes. */
function helpOf({ help, stability = "ALPHA", deprecated }: MetricOptions): string {
  return `[${stability}] ${deprecated === undefined ? "" : `(Deprecated since ${deprecated}.0) `}${help}`;
}

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
