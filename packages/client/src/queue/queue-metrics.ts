// What a work queue lets others measure. Durations in seconds. Source: facts, client.md "Work queue".
export interface QueueMetrics {
  /** How many items wait. */
  depth(items: number): void;
  added(): void;
  /** An item was taken after it had waited this long. */
  taken(waitedSeconds: number): void;
  /** Work on an item ended. */
  done(workedSeconds: number): void;
  retried(): void;
}

export const NO_METRICS: QueueMetrics = {
  depth: () => {},
  added: () => {},
  taken: () => {},
  done: () => {},
  retried: () => {},
};
