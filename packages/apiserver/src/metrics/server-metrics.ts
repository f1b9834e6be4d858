// The metrics of one server, in a registry of its own so that several servers fit in a process.
import {
  BucketHistogram,
  type Counter,
  folded,
  type Gauge,
  type GroupMember,
  type MetricOptions,
  MetricSet,
} from "@orch/platform";
import { type AllowedLabels, limitLabels, type Sample } from "./allowed-labels";
import { metricStage } from "./metric-life";
import { type HistogramRow, METRICS, type MetricName, type MetricRow, type PlainRow } from "./metric-tables";

type NamesOf<Kind extends MetricRow["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** How long one rendering serves all who scrape. */
const SCRAPE_CACHE_MS = 1000;
export interface ServerMetricsOptions {
  /** Names that are kept but not served. */
  readonly disabled: readonly string[];
  /** Absent: every value of every label is served. */
  readonly allowedLabels?: AllowedLabels;
  /** Whether to count what the process uses, too. */
  readonly process: boolean;
  /** That is emulated: decides which deprecated metrics are left. */
  readonly release: string;
  /** Whether metrics that this release hides are served once more. */
  readonly showHidden: boolean;
  /** Called once for each deprecated metric that is registered. */
  readonly warn: (text: string) => void;
  /** Those whose figures are shown with these. Default: nobody. */
  readonly group?: MetricGroup | undefined;
}

type MetricGroup = Pick<GroupMember, "gather" | "folded">;

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

  /** By a name that has come from another thread. */
  find(name: string): Counter | Gauge | BucketHistogram | undefined {
    return this.metrics.get(name as MetricName);
  }

  /** A gauge that says what the server is: always 1. @param name carries the product's name, hence not in the table */
  addInfo(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    this.set.gauge({ name, help, labels: Object.keys(labels), joining: "max" }).set(labels, 1);
  }

  /** Drops what was counted under labels that nobody will use any more. */
  forget(isGone: (labels: LabelSet) => boolean): void {
    for (const metric of this.metrics.values()) {
      if (metric instanceof BucketHistogram) metric.forget(isGone);
      else for (const { labels } of seriesOf(metric)) if (isGone(labels)) metric.remove(labels);
    }
  }

  /** Sets of labels under which something is counted. */
  get size(): number {
    let size = 0;
    for (const metric of this.metrics.values())
      size += metric instanceof BucketHistogram ? metric.totals().length : seriesOf(metric).length;
    return size;
  }

  /** The exposition text, of all workers together; at most a second old. */
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
      const into = await folded(gone);
      gone = [into];
      group.folded(gathered, into);
    }
    return this.set.renderJoined({ living: [own, ...gathered.others], gone });
  }

  /** For another worker. */
  snapshot(): Promise<readonly string[]> {
    return this.set.snapshot();
  }
}

type LabelSet = Readonly<Partial<Record<string, string | number>>>;

/** The library tells of them only to those who wait. */
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

/** What is counted stays whole, and costs nothing more: only what is served is limited. */
function limitWhenRendered(metric: unknown, limits: ReadonlyMap<string, ReadonlySet<string>>): void {
  if (metric === undefined) return;
  const rendered = metric as { get(): Promise<{ readonly values: readonly Sample[] }> };
  const whole = rendered.get.bind(rendered);
  rendered.get = async () => {
    const found = await whole();
    return { ...found, values: limitLabels(found.values, limits) };
  };
}
