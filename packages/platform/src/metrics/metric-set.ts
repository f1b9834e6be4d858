// What a program measures of itself, in a registry of its own so that several fit in a process. The library is loaded with the first set, and of
// it what is used: the whole takes twenty times as long, and every start would wait for that.
import type { Counter, Gauge, Metric, Registry } from "prom-client";
import { whenQuiet } from "../time/when-quiet";
import { BucketHistogram, HistogramSummary } from "./bucket-histogram";
import { type Joining, joined, type Parts, snapshotOf } from "./joined-metrics";

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Default ALPHA: name and labels may still change. */
  readonly stability?: "ALPHA" | "STABLE";
  /** Since which release it is to go; told in its help. */
  readonly deprecated?: string | undefined;
  /** Whether it is rendered: else it is only kept. Default true. */
  readonly isServed?: boolean;
  /** What becomes of a gauge's values where several processes are shown as one. Default: their sum. */
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

  /** @param collect sets its values, at each scrape */
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

  /** The sums and counts of a histogram once more, under a name of their own. */
  summary(options: MetricOptions & { readonly of: BucketHistogram }): void {
    new HistogramSummary({ ...this.described(options), of: options.of });
  }

  /** Counts what the process uses, too: from a little later on, or from the first scrape. */
  measureProcess(): void {
    this.measuresProcess = "soon";
    this.callOff = whenQuiet(() => this.beginMeasuring());
  }

  /** What has not begun does not begin any more. */
  close(): void {
    this.callOff?.();
  }

  private beginMeasuring(): void {
    if (this.measuresProcess !== "soon") return;
    this.measuresProcess = "yes";
    const { collectDefaultMetrics } = require("prom-client") as Library;
    collectDefaultMetrics({ register: this.registry });
  }

  /** As it is rendered; undefined where it is not. */
  rendered(name: string): unknown {
    return this.registry.getSingleMetric(name);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The exposition text. */
  render(): Promise<string> {
    this.beginMeasuring();
    return this.registry.metrics();
  }

  /** Everything as it is now, for another process: a text for each metric. */
  snapshot(): Promise<readonly string[]> {
    this.beginMeasuring();
    return snapshotOf(this.registry);
  }

  /** The exposition text of several processes as one. */
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

/** The library puts the labels of a child together anew for each count; here that is done once for each child. */
function withQuickChildren(counter: Counter): Counter {
  const childOf = counter.labels.bind(counter) as (...labels: never[]) => { inc(value: number): unknown };
  const labels = (...of: never[]) => {
    const child = childOf(...of);
    let hash: string | undefined;
    return {
      inc(value = 1): void {
        // Another one after it has been removed.
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

/** The field writes into the help what may still change, and what is to go. */
function helpOf({ help, stability = "ALPHA", deprecated }: MetricOptions): string {
  return `[${stability}] ${deprecated === undefined ? "" : `(Deprecated from ${deprecated}) `}${help}`;
}
