// The metrics of one server, in a registry of its own, so that several servers can run in one process.

import { compareReleases, type GroupResource, resourceText } from "@orch/machinery";
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
import { type MetricStage, metricStage, shownStability } from "./metric-life";
import { type HistogramRow, METRICS, type MetricName, type MetricRow, type PlainRow } from "./metric-tables";
import { MetricTally } from "./metric-tally";

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
  /** Called once for each hidden metric that is served on request. The help of other deprecated metrics tells so. */
  readonly warn: (text: string) => void;
  /** Workers whose metrics are joined with these. Default: none. */
  readonly group?: MetricGroup | undefined;
}

interface Constant {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type MetricGroup = Pick<GroupMember, "gather" | "mergeSnapshots">;

export class ServerMetrics {
  private readonly set = new MetricSet();
  private readonly metrics = new Map<MetricName, Counter | Gauge | BucketHistogram>();
  private readonly labelNames = new Map<MetricName, readonly string[]>();
  /** Names of the metrics that are rendered. */
  private readonly names = new Set<MetricName>();
  private readonly release: string;
  private readonly group: MetricGroup | undefined;
  private readonly collectors: (() => void)[] = [];
  private rendering: { readonly text: Promise<string>; readonly at: number } | undefined;

  constructor(options: ServerMetricsOptions) {
    this.group = options.group;
    const { release } = options;
    this.release = release;
    const tally = new MetricTally();
    for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
      const stage = metricStage(row, release);
      const isDisabled = options.disabled.includes(name);
      const isRendered = isServedAt(stage, options.showHidden) && !isDisabled;
      const deprecated = stage === "served" ? undefined : row.deprecated;
      const stability = shownStability(row.stability ?? "ALPHA", release);
      const labels = inForceAt(release, row.labels, row.labelsFrom);
      const shown = { ...row, name, labels, deprecated, stability, isServed: isRendered };
      this.labelNames.set(name, labels);
      if (isRendered) this.names.add(name);
      if (row.kind === "summary") this.set.summary({ ...shown, of: this.histogram(row.of as NamesOf<"histogram">) });
      else this.metrics.set(name, made(this.set, row, shown, release));
      if (stage === "hidden" && isRendered) options.warn(`metric ${name} is deprecated from ${row.deprecated}`);
      tally.add({ stage, stability, deprecated, isDisabled, isRendered });
    }
    this.tell(tally);
    if (options.process) this.set.measureProcess();
    for (const [name, limits] of options.allowedLabels ?? []) limitWhenRendered(this.set.rendered(name), limits);
  }

  close(): void {
    this.set.close();
  }

  /** Whether a metric is rendered in this release. Recorders of costly values may skip the others. */
  serves(name: MetricName): boolean {
    return this.names.has(name);
  }

  /**
   * Returns the labels that a metric has in this release.
   * @param resource `resource` becomes `<resource>.<group>` for a metric without the label `group`
   * @param others further labels; those that the metric does not have are left out
   */
  labelsFor(name: MetricName, resource: GroupResource, others: Labels = {}): Labels {
    const isGrouped = this.labelNames.get(name)?.includes("group") === true;
    const ofResource = { group: resource.group, resource: isGrouped ? resource.resource : resourceText(resource) };
    return this.labelsIn(name, { ...others, ...ofResource });
  }

  /** Returns the values of the labels that a metric has in this release. */
  labelsIn(name: MetricName, values: Labels): Labels {
    const names = this.labelNames.get(name) ?? [];
    return Object.fromEntries(names.map((label) => [label, values[label] ?? ""]));
  }

  /** Registers a function that sets values before each rendering. */
  beforeRendering(collect: () => void): void {
    this.collectors.push(collect);
  }

  private tell(tally: MetricTally): void {
    const registered = this.counter("registered_metrics_total");
    for (const { stability_level, deprecated_version, count } of tally.registered())
      registered.inc({ stability_level, deprecated_version }, count);
    this.counter("hidden_metrics_total").inc(tally.hidden);
    this.counter("disabled_metrics_total").inc(tally.disabled);
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
   * Adds an info gauge, whose value is always 1. Its stability is BETA.
   * @param name contains the product's name and is therefore not in the table
   */
  addInfo(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    const stability = shownStability("BETA", this.release);
    this.set.gauge({ name, help, stability, labels: Object.keys(labels), joining: "max" }).set(labels, 1);
  }

  /**
   * Adds a gauge whose values do not change. Its stability is BETA.
   * @param values called at the first scrape
   */
  addConstants(options: Omit<MetricOptions, "joining" | "stability">, values: () => readonly Constant[]): void {
    let isSet = false;
    const stability = shownStability("BETA", this.release);
    this.set.gauge({ ...options, stability, joining: "max" }, (gauge) => {
      if (isSet) return;
      isSet = true;
      for (const { labels, value } of values()) gauge.set(labels, value);
    });
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
      for (const collect of this.collectors) collect();
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
    for (const collect of this.collectors) collect();
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

type Labels = Readonly<Record<string, string>>;

/** Returns the values that a row has at a release. */
const inForceAt = <Values>(release: string, first: Values, later: readonly [string, Values] | undefined): Values =>
  later === undefined || compareReleases(release, later[0]) < 0 ? first : later[1];

function isServedAt(stage: MetricStage, showHidden: boolean): boolean {
  switch (stage) {
    case "absent":
    case "gone":
      return false;
    case "hidden":
      return showHidden;
    case "served":
    case "deprecated":
      return true;
  }
}

function made(
  set: MetricSet,
  row: PlainRow | HistogramRow,
  options: MetricOptions,
  release: string,
): Counter | Gauge | BucketHistogram {
  switch (row.kind) {
    case "counter":
      return set.counter(options);
    case "gauge": {
      const gauge = set.gauge(options);
      if (row.isLate === true) gauge.remove();
      return gauge;
    }
    case "histogram":
      return set.histogram({ ...options, buckets: inForceAt(release, row.buckets, row.bucketsFrom) });
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
