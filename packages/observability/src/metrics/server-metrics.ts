// The metrics of one server, in a registry of its own, so that several servers can run in one process.
import {
  BucketHistogram,
  type Counter,
  type Gauge,
  type GroupMember,
  type MetricOptions,
  MetricSet,
  mergeSnapshots,
} from "@orch/platform";
import type { AllowedLabels } from "@orch/server-config";
import { limitLabels, type Sample } from "./limited-labels";
import { metricStage } from "./metric-life";
import { type HistogramRow, METRICS, type MetricName, type MetricRow, type PlainRow } from "./metric-tables";

type NamesOf<Kind extends MetricRow["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** How long one rendering is served to all scrapers, in milliseconds. */
const SCRAPE_CACHE_MS = 1000;
export interface ServerMetricsOptions {
  /** Names of metrics that are recorded but not served. */
  readonly disabled: readonly string[];
  /** Absent: label values are not limited. */
  readonly allowedLabels?: AllowedLabels;
  /** Whether to serve process metrics as well. */
  readonly process: boolean;
  /** The emulated release. It decides which deprecated metrics are served. */
  readonly release: string;
  /** Whether to serve hidden metrics. */
  readonly showHidden: boolean;
  /** Called once for each deprecated metric that is registered. */
  readonly warn: (text: string) => void;
  /** Workers whose metrics are joined with these. Default: none. */
  readonly group?: MetricGroup | undefined;
}

type MetricGroup = Pick<GroupMember, "gather" | "mergeSnapshots">;

export class ServerMetrics {
  private readonly set = new MetricSet();
  private readonly metrics = new Map<MetricName, Counter | Gauge | BucketHistogram>();
  private readonly group: MetricGroup | undefined;
  private rendering: { readonly text: Promise<string>; readonly at: number } | undefined;

  constructor(options: ServerMetricsOptions) {
    this.group = options.group;
    for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
      const stage = metricStage(row.deprecated, options.release);
      const isServed = stage === "hidden" ? options.showHidden : stage !== "gone";
      const isRendered = isServed && !options.disabled.includes(name);
      const deprecated = stage === "served" ? undefined : row.deprecated;
      const shown = { ...row, name, deprecated, isServed: isRendered };
      if (row.kind === "summary") this.set.summary({ ...shown, of: this.histogram(row.of as NamesOf<"histogram">) });
      else this.metrics.set(name, made(this.set, row, shown));
      if (stage !== "served" && isRendered) options.warn(`metric ${name} is deprecated from ${row.deprecated}`);
    }
    if (options.process) this.set.measureProcess();
    for (const [name, limits] of options.allowedLabels ?? []) limitWhenRendered(this.set.rendered(name), limits);
  }

  close(): void {
    this.set.close();
  }

  counter(name: NamesOf<"counter">): Counter {
    return this.metrics.get(name) as Counter;
  }

  gauge(name: NamesOf<"gauge">): Gauge {
    return this.metrics.get(name) as Gauge;
  }

  histogram(name: NamesOf<"histogram">): BucketHistogram {
    return this.metrics.get(name) as BucketHistogram;
  }

  /** Finds a metric by a name from another thread. */
  find(name: string): Counter | Gauge | BucketHistogram | undefined {
    return this.metrics.get(name as MetricName);
  }

  /**
   * Adds an info gauge, whose value is always 1.
   * @param name contains the product's name and is therefore not in the table
   */
  addInfo(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    this.set.gauge({ name, help, labels: Object.keys(labels), joining: "max" }).set(labels, 1);
  }

  /** Removes the series whose labels match. */
  forget(isGone: (labels: LabelSet) => boolean): void {
    for (const metric of this.metrics.values()) {
      if (metric instanceof BucketHistogram) metric.forget(isGone);
      else for (const { labels } of seriesOf(metric)) if (isGone(labels)) metric.remove(labels);
    }
  }

  /** Number of series. */
  get size(): number {
    let size = 0;
    for (const metric of this.metrics.values())
      size += metric instanceof BucketHistogram ? metric.totals().length : seriesOf(metric).length;
    return size;
  }

  /** Returns the exposition text of all workers, at most one second old. */
  render(nowMs: number): Promise<string> {
    if (this.rendering === undefined || nowMs - this.rendering.at > SCRAPE_CACHE_MS) {
      this.rendering = { text: this.group === undefined ? this.set.render() : this.renderGroup(this.group), at: nowMs };
    }
    return this.rendering.text;
  }

  private async renderGroup(group: MetricGroup): Promise<string> {
    const own = await this.snapshot();
    const gathered = await group.gather(own);
    let { gone } = gathered;
    if (gone.length > 1) {
      const into = await mergeSnapshots(gone);
      gone = [into];
      group.mergeSnapshots(gathered, into);
    }
    return this.set.renderJoined({ living: [own, ...gathered.others], gone });
  }

  /** Returns this worker's metrics for another worker. */
  snapshot(): Promise<readonly string[]> {
    return this.set.snapshot();
  }
}

type LabelSet = Readonly<Partial<Record<string, string | number>>>;

/** Reads the series of a metric. The client library offers them only asynchronously. */
function seriesOf(metric: Counter | Gauge): readonly { readonly labels: Record<string, string | number> }[] {
  const { hashMap } = metric as unknown as {
    readonly hashMap: Readonly<Record<string, { readonly labels: Record<string, string | number> }>>;
  };
  return Object.values(hashMap);
}

function made(set: MetricSet, row: PlainRow | HistogramRow, options: MetricOptions): Counter | Gauge | BucketHistogram {
  switch (row.kind) {
    case "counter":
      return set.counter(options);
    case "gauge":
      return set.gauge(options);
    case "histogram":
      return set.histogram({ ...options, buckets: row.buckets });
  }
}

/** Limits label values at rendering only: recording keeps all values and costs nothing more. */
function limitWhenRendered(metric: unknown, limits: ReadonlyMap<string, ReadonlySet<string>>): void {
  if (metric === undefined) return;
  const rendered = metric as { get(): Promise<{ readonly values: readonly Sample[] }> };
  const whole = rendered.get.bind(rendered);
  rendered.get = async () => {
    const found = await whole();
    return { ...found, values: limitLabels(found.values, limits) };
  };
}
