// Messages between a supervisor and its workers.

/**
 * Metrics of a process in a form that another process can merge: a text for each metric. The supervisor only forwards
 * them.
 */
export type Snapshot = readonly string[];

/** Metrics of the other workers. */
export interface GroupMetrics {
  readonly others: readonly Snapshot[];
  /** Snapshots of ended workers. */
  readonly gone: readonly Snapshot[];
  /** Number of times `gone` was merged. */
  readonly folds: number;
}

export type ToWorker =
  /** Requests a graceful shutdown. `all`: the whole group ends; otherwise another worker takes over. */
  | { readonly kind: "leave"; readonly all: boolean }
  /** Requests that this number of connections be closed. */
  | { readonly kind: "shed"; readonly connections: number }
  | { readonly kind: "asked"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly what: GroupMetrics }
  /** Grants the turn for exclusive work. */
  | { readonly kind: "turn"; readonly at: string };

export type ToSupervisor =
  /** The worker receives messages from now on; earlier ones were lost. */
  | { readonly kind: "here" }
  | { readonly kind: "ready" }
  | { readonly kind: "connections"; readonly count: number }
  /** Requests the metrics of the other workers, with its own. */
  | { readonly kind: "gather"; readonly id: number; readonly own: Snapshot }
  | { readonly kind: "told"; readonly id: number; readonly own: Snapshot }
  /** The first `count` snapshots of ended workers, as of this number of merges, are replaced by one. */
  | { readonly kind: "mergeSnapshots"; readonly folds: number; readonly count: number; readonly into: Snapshot }
  /** The last snapshot of a worker. */
  | { readonly kind: "last"; readonly own: Snapshot }
  | { readonly kind: "wantsTurn"; readonly at: string }
  | { readonly kind: "turnOver"; readonly at: string };
