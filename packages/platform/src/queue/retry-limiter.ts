// Delays of retries in a work queue. Source: staging/src/k8s.io/client-go/util/workqueue/default_rate_limiters.go.
import { type PauseGrowth, pauseMsAfter } from "../time/backoff";
import type { Clock } from "../time/clock";
import { TokenBucket } from "../time/token-bucket";

/** The delay grows with the failures of one item. */
export interface RetryLimiterOptions extends PauseGrowth {
  /** Retry rate of all items together. */
  readonly perSecond: number;
  readonly burst: number;
}

export const DEFAULT_RETRIES: RetryLimiterOptions = { firstMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

export class RetryLimiter<Item> {
  private readonly failures = new Map<Item, number>();
  private readonly bucket: TokenBucket;

  constructor(
    private readonly options: RetryLimiterOptions,
    clock: Clock,
  ) {
    this.bucket = new TokenBucket(options, clock);
  }

  /** Counts a failure. @returns the delay in milliseconds */
  failed(item: Item): number {
    const failures = this.failures.get(item) ?? 0;
    this.failures.set(item, failures + 1);
    return Math.max(pauseMsAfter(this.options, failures), this.bucket.reserve());
  }

  forget(item: Item): void {
    this.failures.delete(item);
  }

  failuresOf(item: Item): number {
    return this.failures.get(item) ?? 0;
  }
}
