// Labels whose values are limited to those that an operator expects, so that nobody can fill a monitoring system with others:
// `--allow-metric-labels`. Source: facts, flags.json "metrics".

/** By metric, by label: the values that are served as they are. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** What every other value becomes. */
const UNEXPECTED = "unexpected";

/**
 * @param texts `metric,label=value,value`, one for each label
 * @throws Error for the first that is not of this form
 */
export function parseAllowedLabels(texts: readonly string[]): AllowedLabels {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const text of texts) {
    const parts = /^([A-Za-z_:][\w:]*),([A-Za-z_]\w*)=(.*)$/.exec(text);
    const [, metric = "", label = "", values = ""] = parts ?? [];
    if (parts === null) {
      throw new Error(`--allow-metric-labels: ${JSON.stringify(text)} is not metric,label=value,value`);
    }
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return allowed;
}

/** As the library takes it from a metric when it renders. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Samples that differ in nothing but unexpected values become one. */
export function limitLabels(samples: readonly Sample[], limits: ReadonlyMap<string, ReadonlySet<string>>): Sample[] {
  const limited = new Map<string, Sample>();
  for (const sample of samples) {
    const labels = Object.fromEntries(
      Object.entries(sample.labels).map(([name, value]) => {
        const values = limits.get(name);
        return [name, values === undefined || values.has(String(value)) ? value : UNEXPECTED];
      }),
    );
    const key = JSON.stringify([sample.metricName, Object.entries(labels).sort()]);
    limited.set(key, { ...sample, labels, value: sample.value + (limited.get(key)?.value ?? 0) });
  }
  return [...limited.values()];
}
