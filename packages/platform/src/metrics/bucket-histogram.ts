// A histogram with cheap observations. That of the library resolves the labels at each observation, which costs half of
// what a request may spend on metrics. It is registered with the library, which renders it like its own.
import type { Metric, Registry } from "prom-client";

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registers: readonly Registry[];
}

/** One label set. Frequent observers keep a reference to it. */
export class BucketSeries {
  count = 0;
  sum = 0;
  /** Number of observations per bucket, not cumulative; the last bucket is above all bounds. */
  readonly perBucket: Float64Array;

  constructor(private readonly bounds: readonly number[]) {
    this.perBucket = new Float64Array(bounds.length + 1);
  }

  /** @param times number of observations of this value */
  observe(value: number, times = 1): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    this.perBucket[at] = (this.perBucket[at] as number) + times;
    this.count += times;
    this.sum += value * times;
  }
}

/** A summary with the sums and counts of a histogram, under another name. */
export class HistogramSummary {
  constructor(
    private readonly options: Pick<HistogramOptions, "name" | "help" | "registers"> & { readonly of: BucketHistogram },
  ) {
    for (const registry of options.registers) registry.registerMetric(this as unknown as Metric);
  }

  get name(): string {
    return this.options.name;
  }

  /** Called by the library to render. */
  async get(): Promise<object> {
    const { name, help, of } = this.options;
    const values = of.totals().flatMap(({ labels, series }) => totalsOf(name, labels, series));
    return { name, help, type: "summary", values, aggregator: "sum" };
  }
}

type LabelSet = Readonly<Record<string, string>>;

interface Sample {
  readonly metricName: string;
  readonly labels: LabelSet;
  readonly value: number;
}

export class BucketHistogram {
  private readonly series = new Map<string, { readonly labels: LabelSet; readonly series: BucketSeries }>();

  constructor(private readonly options: HistogramOptions) {
    for (const registry of options.registers) registry.registerMetric(this as unknown as Metric);
  }

  get name(): string {
    return this.options.name;
  }

  labels(labels: LabelSet): BucketSeries {
    const key = JSON.stringify(Object.values(labels));
    let known = this.series.get(key);
    if (known === undefined) {
      known = { labels, series: new BucketSeries(this.options.buckets) };
      this.series.set(key, known);
    }
    return known.series;
  }

  /** Returns every label set. */
  totals(): readonly { readonly labels: LabelSet; readonly series: BucketSeries }[] {
    return [...this.series.values()];
  }

  forget(isGone: (labels: LabelSet) => boolean): void {
    for (const [key, { labels }] of this.series) if (isGone(labels)) this.series.delete(key);
  }

  /** Called by the library to render. */
  async get(): Promise<object> {
    const { name, help } = this.options;
    const values: Sample[] = this.totals().flatMap(({ labels, series }) => this.samples(labels, series));
    return { name, help, type: "histogram", values, aggregator: "sum" };
  }

  private samples(labels: LabelSet, series: BucketSeries): Sample[] {
    const { name, buckets } = this.options;
    let upTo = 0;
    const samples = [...buckets, "+Inf"].map((bound, at) => {
      upTo += series.perBucket[at] as number;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: upTo };
    });
    return [...samples, ...totalsOf(name, labels, series)];
  }
}

const totalsOf = (name: string, labels: LabelSet, { sum, count }: BucketSeries): readonly Sample[] => [
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: count },
];
