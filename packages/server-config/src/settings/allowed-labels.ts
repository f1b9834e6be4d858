// Limits label values to a list from the operator, so that clients cannot grow the number of series without bound:
// `--allow-metric-labels`. Source: Kubernetes documentation, "Metrics For Kubernetes System Components".

/** Values that are served unchanged, by metric and label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/**
 * Parses the allow list.
 * @param texts `metric,label=value,value`, one for each label
 * @throws Error for the first text of another form
 */
export function parseAllowedLabels(texts: readonly string[]): AllowedLabels {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const text of texts) {
    const parts = /^([A-Za-z_:][\w:]*),([A-Za-z_]\w*)=(.*)$/.exec(text);
    const [, metric = "", label = "", values = ""] = parts ?? [];
    if (parts === null) {
      throw new Error(`--allow-metric-labels: ${JSON.stringify(text)} must have the form metric,label=value,value`);
    }
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return allowed;
}
