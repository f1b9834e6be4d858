// The metrics of the API server: names, labels and buckets.

import type { Joining } from "@orch/platform";
import { ACCESS_METRICS } from "./tables/access-table";
import { ADMISSION_METRICS } from "./tables/admission-table";
import { BACKGROUND_METRICS } from "./tables/background-table";
import { BACKUP_METRICS } from "./tables/backup-table";
import { ENCRYPTION_METRICS } from "./tables/encryption-table";
import { FLOW_CONTROL_METRICS } from "./tables/flow-control-table";
import { REQUEST_METRICS } from "./tables/requests-table";
import { SERVER_METRICS } from "./tables/server-table";
import { STORAGE_METRICS } from "./tables/storage-table";
import { WATCH_METRICS } from "./tables/watch-table";

export type MetricRow = PlainRow | HistogramRow | SummaryRow;

export interface PlainRow extends Described {
  readonly kind: "counter" | "gauge";
  /** How the values of all workers are combined for a gauge. Default: the sum. */
  readonly joining?: Joining;
  /** Whether a gauge without labels is absent until it is set. Default: it is 0. */
  readonly isLate?: true;
}

export interface HistogramRow extends Described {
  readonly kind: "histogram";
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  /** Release from which on the metric has other bounds. */
  readonly bucketsFrom?: readonly [release: string, buckets: readonly number[]];
}

/** A summary with the sums and counts of the preceding histogram. */
interface SummaryRow extends Described {
  readonly kind: "summary";
  readonly of: string;
}

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
  /** Release from which on the metric has other labels. */
  readonly labelsFrom?: readonly [release: string, labels: readonly string[]];
  /** Default: ALPHA, which allows changes of name and labels. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE";
  /** First release that has the metric. Default: all have it. */
  readonly since?: string;
  /** Release that deprecates the metric. */
  readonly deprecated?: string;
  /** First release without the metric, when it was removed without a deprecation. */
  readonly until?: string;
}

export const METRICS = {
  ...FLOW_CONTROL_METRICS,
  ...ENCRYPTION_METRICS,
  ...STORAGE_METRICS,
  ...WATCH_METRICS,
  ...ADMISSION_METRICS,
  ...ACCESS_METRICS,
  ...REQUEST_METRICS,
  ...SERVER_METRICS,
  ...BACKGROUND_METRICS,
  ...BACKUP_METRICS,
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
