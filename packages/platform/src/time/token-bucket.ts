// A token bucket: limits requests to a server, and retries of a work queue.
import type { Clock } from "./clock";

export interface TokenBucketOptions {
  /** Refill rate in tokens per second; zero or less: no limit. */
  readonly perSecond: number;
  /** Capacity in tokens. */
  readonly burst: number;
}

export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  constructor(
    private readonly options: TokenBucketOptions,
    private readonly clock: Pick<Clock, "elapsed">,
  ) {
    this.tokens = options.burst;
    this.filledAt = clock.elapsed();
  }

  /** Takes a token, possibly a future one. @returns milliseconds until it may be used */
  reserve(): number {
    const { perSecond, burst } = this.options;
    if (perSecond <= 0) return 0;
    const now = this.clock.elapsed();
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) / 1000) * perSecond);
    this.filledAt = now;
    this.tokens -= 1;
    return this.tokens >= 0 ? 0 : (-this.tokens / perSecond) * 1000;
  }

  /** Takes an available token. @returns whether there was one */
  take(): boolean {
    if (this.reserve() === 0) return true;
    this.giveBack();
    return false;
  }

  /** Returns a token that was reserved and not used. */
  giveBack(): void {
    this.tokens = Math.min(this.options.burst, this.tokens + 1);
  }
}
