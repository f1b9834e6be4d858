// Growing pauses after failures that follow each other.
import type { Chance, Clock } from "./clock";

export interface BackoffOptions {
  readonly firstMs: number;
  readonly factor: number;
  /** Before jitter. */
  readonly maxMs: number;
  /** The largest share of a pause that is added to it at random, so that clients that failed together do not return together. */
  readonly jitter: number;
  /** The next failure counts as the first again after this long without one. */
  readonly resetAfterMs: number;
}

export class Backoff {
  private failures = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: BackoffOptions,
    private readonly deps: { readonly clock: Clock; readonly chance: Chance },
  ) {}

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    const { firstMs, factor, maxMs, jitter, resetAfterMs } = this.options;
    const now = this.deps.clock.elapsed();
    if (now - this.lastAt > resetAfterMs) this.failures = 0;
    const plainMs = Math.min(firstMs * factor ** this.failures, maxMs);
    this.failures += 1;
    const waitMs = plainMs * (1 + jitter * this.deps.chance());
    this.lastAt = now + waitMs; // the pause itself is not a quiet time
    return waitMs;
  }

  reset(): void {
    this.failures = 0;
  }
}
