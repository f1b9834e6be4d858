// The metrics of one server, in a registry of its own so that several servers fit in a process.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { BucketHistogram } from "./bucket-histogram";
import { METRICS, type MetricName, type MetricRow } from "./metric-tables";

type NamesOf<Kind extends MetricRow["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** How long one rendering serves all who scrape. */
const SCRAPE_CACHE_MS = 1000;
/** Every metric here may still change its name or labels; the field writes that into the help. */
const STABILITY = "[ALPHA]";

export class ServerMetrics {
  private readonly registry = new Registry();
  private readonly metrics = new Map<MetricName, Counter | Gauge | BucketHistogram>();
  private rendering: { readonly text: Promise<string>; readonly at: number } | undefined;

  /** @param options.disabled names that are kept but not served */
  constructor(options: { readonly disabled: readonly string[]; readonly process: boolean }) {
    for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
      const registers = options.disabled.includes(name) ? [] : [this.registry];
      this.metrics.set(name, made(name, row, registers));
    }
    if (options.process) collectDefaultMetrics({ register: this.registry });
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

  /** A gauge that says what the server is: always 1. @param name carries the product's name, hence not in the table */
  addInfo(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    const gauge = new Gauge({
      name,
      help: `${STABILITY} ${help}`,
      labelNames: Object.keys(labels),
      registers: [this.registry],
    });
    gauge.set(labels, 1);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The exposition text; at most a second old. */
  render(nowMs: number): Promise<string> {
    if (this.rendering === undefined || nowMs - this.rendering.at > SCRAPE_CACHE_MS) {
      this.rendering = { text: this.registry.metrics(), at: nowMs };
    }
    return this.rendering.text;
  }
}

function made(name: string, row: MetricRow, registers: Registry[]): Counter | Gauge | BucketHistogram {
  const options = { name, help: `${STABILITY} ${row.help}`, labelNames: [...row.labels], registers };
  switch (row.kind) {
    case "counter":
      return new Counter(options);
    case "gauge":
      return new Gauge(options);
    case "histogram":
      return new BucketHistogram({ ...options, buckets: row.buckets ?? [] });
  }
}
