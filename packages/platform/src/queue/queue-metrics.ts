// Metrics of a work queue. Durations are in seconds. Source: staging/src/k8s.io/client-go/util/workqueue/metrics.go.
/** Running work of a queue, readable at any time. In milliseconds; 0 without running work. */
export interface RunningWork {
  readonly longestWorkMs: number;
  /** Total age of all running work. */
  readonly unfinishedWorkMs: number;
}

export interface QueueMetrics {
  /** Called once, when the queue is created. */
  made(queue: RunningWork): void;
  /** Number of waiting items. */
  depth(items: number): void;
  added(): void;
  /** Called when an item is taken, with the time it waited. */
  taken(waitedSeconds: number): void;
  /** Called when the work on an item ended. */
  done(workedSeconds: number): void;
  retried(): void;
}

export const NO_METRICS: QueueMetrics = {
  made: () => {},
  depth: () => {},
  added: () => {},
  taken: () => {},
  done: () => {},
  retried: () => {},
};
