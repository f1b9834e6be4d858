// Merges the metrics of several processes. Counters and histograms are added; gauges are merged as each one declares.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";

/** Merge of a gauge's values: the sum, the extremes, the average or the first. */
export type Joining = "sum" | "max" | "min" | "average" | "first";

export interface Parts {
  readonly living: readonly (readonly string[])[];
  /** Snapshots of processes that have ended: their counters are kept, their gauges are not. */
  readonly gone: readonly (readonly string[])[];
}

type Shown = MetricObjectWithValues<MetricValue<string>>;

/** Returns a text for each metric. */
export async function snapshotOf(registry: Registry): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const metric of (await registry.getMetricsAsJSON()) as unknown as readonly Shown[]) {
    texts.push(JSON.stringify(metric));
    await nextTurn();
  }
  return texts;
}

/** Merges snapshots. @returns the metrics as of a single process */
export async function joined({ living, gone }: Parts): Promise<readonly Shown[]> {
  const byName = new Map<string, Shown[]>();
  const add = async (text: string, isGone: boolean) => {
    const metric = JSON.parse(text) as Shown;
    if (isGone && !isCounted(metric)) return;
    const known = byName.get(metric.name);
    if (known === undefined) byName.set(metric.name, [metric]);
    else known.push(metric);
    await nextTurn();
  };
  for (const snapshot of living) for (const text of snapshot) await add(text, false);
  for (const snapshot of gone) for (const text of snapshot) await add(text, true);
  const made: Shown[] = [];
  for (const metrics of byName.values()) {
    made.push(joinedMetric(metrics));
    await nextTurn();
  }
  return made;
}

/** Merges the snapshots of ended processes into one. */
export const mergeSnapshots = async (gone: Parts["gone"]): Promise<readonly string[]> =>
  (await joined({ living: [], gone })).map((metric) => JSON.stringify(metric));

const isCounted = ({ type }: Shown): boolean => COUNTED.has(String(type));
const COUNTED = new Set(["counter", "histogram", "summary"]);

function joinedMetric(metrics: readonly Shown[]): Shown {
  const [first] = metrics as [Shown];
  if (metrics.length === 1) return first;
  const join = JOINED[joiningOf(first)];
  const bySeries = new Map<string, { readonly of: MetricValue<string>; readonly values: number[] }>();
  for (const { values } of metrics) {
    for (const value of values) {
      const { metricName = "" } = value as { readonly metricName?: string };
      const key = `${metricName} ${JSON.stringify(Object.entries(value.labels).sort(byLabel))}`;
      const known = bySeries.get(key);
      if (known === undefined) bySeries.set(key, { of: value, values: [value.value] });
      else known.values.push(value.value);
    }
  }
  return { ...first, values: [...bySeries.values()].map(({ of, values }) => ({ ...of, value: join(values) })) };
}

const byLabel = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

/** Returns the merge of a gauge. The start time of the oldest process is that of the service. */
const joiningOf = ({ aggregator }: Shown): Joining =>
  (aggregator as string) === "omit" ? "min" : (aggregator as Joining);

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

const JOINED: Readonly<Record<Joining, (values: readonly number[]) => number>> = {
  sum,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  average: (values) => sum(values) / values.length,
  first: ([first = 0]) => first,
};
