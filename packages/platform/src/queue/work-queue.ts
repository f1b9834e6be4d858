// Names of things to look at, each at most once in the queue and by one worker at a time. An item that is added while it is worked
// on comes back when that work is done. Source: facts, client.md "Work queue".
import { type Clock, systemClock } from "../time/clock";
import { DelayedItems } from "./delayed-items";
import { NO_METRICS, type QueueMetrics, type WorkStanding } from "./queue-metrics";
import { DEFAULT_RETRIES, RetryLimiter, type RetryLimiterOptions } from "./retry-limiter";

export interface WorkQueueOptions {
  readonly clock?: Clock | undefined;
  readonly retries?: RetryLimiterOptions | undefined;
  readonly metrics?: QueueMetrics | undefined;
}

/** @typeParam Item compared as keys of a Map are: strings, as a rule, such as those of `keyOf` */
export class WorkQueue<Item = string> implements WorkStanding {
  /** Items that wait, in order, and since when. */
  private readonly waiting = new Map<Item, number>();
  /** Items that are worked on, and since when. */
  private readonly working = new Map<Item, number>();
  /** Added while worked on. */
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

  /** How many wait now; those that are worked on or wait for their time are not counted. */
  get size(): number {
    return this.waiting.size;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Age of the longest work under way, in milliseconds; 0 where there is none. */
  get longestWorkMs(): number {
    const [since] = this.working.values(); // the oldest, for that is the order of insertion
    return since === undefined ? 0 : this.clock.elapsed() - since;
  }

  /** Ages of all work under way, added up, in milliseconds. */
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

  /** Adds an item whose work has failed, after a pause that grows with its failures. */
  retry(item: Item): void {
    if (this.closed) return;
    this.metrics.retried();
    this.addAfter(item, this.limiter.failed(item));
  }

  /** Its failures no longer count: call it when work on the item has succeeded. */
  forget(item: Item): void {
    this.limiter.forget(item);
  }

  failuresOf(item: Item): number {
    return this.limiter.failuresOf(item);
  }

  /** The next item, to be given back with `done`; undefined once the queue is closed and empty. */
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

  /** Takes nothing more in. What waits can still be taken; what was to come later, or again, is dropped. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.delayed.clear();
    this.again.clear();
    for (const taker of this.takers.splice(0)) taker(undefined);
  }

  /** Closes the queue. @returns resolves when nothing waits and nothing is worked on */
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
