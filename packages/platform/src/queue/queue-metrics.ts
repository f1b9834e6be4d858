// What a work queue lets others measure. Durations in seconds. Source: facts, client.md "Work queue".
/** How the work of a queue stands, asked for at any time. In milliseconds; 0 where nothing is worked on. */
export interface WorkStanding {
  readonly longestWorkMs: number;
  /** Of all that is worked on, together. */
  readonly unfinishedWorkMs: number;
}

export interface QueueMetrics {
  /** Called once, when the queue is made. */
  made(queue: WorkStanding): void;
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
  made: () => {},
  depth: () => {},
  added: () => {},
  taken: () => {},
  done: () => {},
  retried: () => {},
};
