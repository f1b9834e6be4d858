// Limits the label values of rendered metrics to those that `--allow-metric-labels` lists.

/** Replacement for every other value. */
const UNEXPECTED = "unexpected";

/** A sample as the client library yields it when rendering. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Merges samples that differ only in unexpected values. */
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
