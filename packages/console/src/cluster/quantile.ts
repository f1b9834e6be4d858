// Quantiles of histograms. Source: Prometheus documentation, "Query functions", histogram_quantile.

/** Numbers of observations by the upper bound of their bucket, each with those of the smaller buckets. */
export type Buckets = ReadonlyMap<number, number>;

/**
 * Returns an estimate of a quantile, which takes the observations of a bucket as evenly spread. In the last bucket, which has
 * no bound, it is the bound before. Undefined without observations.
 */
export function quantileOf(quantile: number, buckets: Buckets): number | undefined {
  const sorted = [...buckets].sort(([one], [other]) => one - other);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  const rank = quantile * total;
  let [below, lower] = [0, 0];
  for (const [upper, count] of sorted) {
    if (count >= rank) {
      if (upper === Number.POSITIVE_INFINITY || count === below) return lower;
      return lower + ((upper - lower) * (rank - below)) / (count - below);
    }
    [below, lower] = [count, upper];
  }
  return lower;
}
