// A queue of items in which each is present at most once and processed by one worker at a time. An item added while it
// is processed is queued again afterwards. Source: staging/src/k8s.io/client-go/util/workqueue/queue.go.
import { type Clock, systemClock } from "../time/clock";
import { DelayedItems } from "./delayed-items";
import { NO_METRICS, type QueueMetrics, type RunningWork } from "./queue-metrics";
import { DEFAULT_RETRIES, RetryLimiter, type RetryLimiterOptions } from "./retry-limiter";

export interface WorkQueueOptions {
  readonly clock?: Clock | undefined;
  readonly retries?: RetryLimiterOptions | undefined;
  readonly metrics?: QueueMetrics | undefined;
}

/** @typeParam Item compared like keys of a Map; usually a string such as that of `keyOf` */
export class WorkQueue<Item = string> implements RunningWork {
  /** Waiting items in order, and the start of their wait. */
  private readonly waiting = new Map<Item, number>();
  /** Items being processed, and the start of their work. */
  private readonly working = new Map<Item, number>();
  /** Items added while they are processed. */
  private readonly again = new Set<Item>();
  private readonly takers: ((item: Item | undefined) => void)[] = [];
  private readonly drainers: (() => void)[] = [];
  private readonly delayed: DelayedItems<Item>;
  private readonly limiter: RetryLimiter<Item>;
  private readonly clock: Clock;
  private readonly metrics: QueueMetrics;
  private closed = false;

  constructor({ clock = systemClock, retries = DEFAULT_RETRIES, metrics = NO_METRICS }: WorkQueueOptions = {}) {
    this.clock = clock;
    this.metrics = metrics;
    this.limiter = new RetryLimiter(retries, clock);
    this.delayed = new DelayedItems(clock, (item) => this.add(item));
    metrics.made(this);
  }

  /** Number of waiting items, without running and delayed ones. */
  get size(): number {
    return this.waiting.size;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Age of the oldest running work in milliseconds; 0 without running work. */
  get longestWorkMs(): number {
    const [since] = this.working.values(); // the oldest, by insertion order
    return since === undefined ? 0 : this.clock.elapsed() - since;
  }

  /** Total age of all running work in milliseconds. */
  get unfinishedWorkMs(): number {
    const now = this.clock.elapsed();
    let sum = 0;
    for (const since of this.working.values()) sum += now - since;
    return sum;
  }

  add(item: Item): void {
    if (this.closed || this.waiting.has(item) || this.again.has(item)) return;
    this.metrics.added();
    if (this.working.has(item)) {
      this.again.add(item);
      return;
    }
    this.enqueue(item);
  }

  addAfter(item: Item, delayMs: number): void {
    if (this.closed) return;
    if (delayMs <= 0) this.add(item);
    else this.delayed.add(item, delayMs);
  }

  /** Adds a failed item again, after a delay that grows with its failures. */
  retry(item: Item): void {
    if (this.closed) return;
    this.metrics.retried();
    this.addAfter(item, this.limiter.failed(item));
  }

  /** Resets the failures of an item. To be called after success. */
  forget(item: Item): void {
    this.limiter.forget(item);
  }

  failuresOf(item: Item): number {
    return this.limiter.failuresOf(item);
  }

  /** Takes the next item, which must be returned with `done`; undefined once the queue is closed and empty. */
  take(): Promise<Item | undefined> {
    const [next] = this.waiting;
    if (next !== undefined) {
      this.waiting.delete(next[0]);
      this.begin(next[0], next[1]);
      return Promise.resolve(next[0]);
    }
    if (this.closed) return Promise.resolve(undefined);
    return new Promise((resolve) => this.takers.push(resolve));
  }

  done(item: Item): void {
    const since = this.working.get(item);
    if (since === undefined) return;
    this.working.delete(item);
    this.metrics.done((this.clock.elapsed() - since) / 1000);
    if (this.again.delete(item)) this.enqueue(item);
    this.settleDrainers();
  }

  /** Closes the queue for new items. Waiting items can still be taken; delayed and repeated ones are dropped. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.delayed.clear();
    this.again.clear();
    for (const taker of this.takers.splice(0)) taker(undefined);
  }

  /** Closes the queue. @returns resolves when no item waits or is processed */
  drain(): Promise<void> {
    this.close();
    return new Promise((resolve) => {
      this.drainers.push(resolve);
      this.settleDrainers();
    });
  }

  private enqueue(item: Item): void {
    const now = this.clock.elapsed();
    const taker = this.takers.shift();
    if (taker === undefined) {
      this.waiting.set(item, now);
      this.metrics.depth(this.waiting.size);
      return;
    }
    this.begin(item, now);
    taker(item);
  }

  private begin(item: Item, waitingSince: number): void {
    const now = this.clock.elapsed();
    this.working.set(item, now);
    this.metrics.depth(this.waiting.size);
    this.metrics.taken((now - waitingSince) / 1000);
  }

  private settleDrainers(): void {
    if (!this.closed || this.waiting.size > 0 || this.working.size > 0) return;
    for (const resolve of this.drainers.splice(0)) resolve();
  }
}
