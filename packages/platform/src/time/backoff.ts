// Delays that grow with consecutive failures.
import { type Clock, type RandomSource, systemClock } from "./clock";

export interface PauseGrowth {
  readonly firstMs: number;
  /** Default 2. */
  readonly factor?: number;
  readonly maxMs: number;
}

/** Returns the delay after a failure, in milliseconds. @param before number of failures before this one */
export const pauseMsAfter = ({ firstMs, factor = 2, maxMs }: PauseGrowth, before: number): number =>
  Math.min(firstMs * factor ** before, maxMs);

export interface BackoffOptions extends PauseGrowth {
  /**
   * Maximum random extension of a delay, as a factor, also beyond `maxMs`, so that clients that failed together do not
   * retry together. Default none.
   */
  readonly jitter?: number;
  /** Time without a failure after which the delays start again at the first. Default: only after `reset`. */
  readonly resetAfterMs?: number;
}

export class Backoff {
  private failures = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: BackoffOptions,
    private readonly deps: { readonly clock: Clock; readonly chance: RandomSource } = RUN_TIME,
  ) {}

  /** Returns the delay after a further failure, in milliseconds. */
  next(): number {
    const { jitter = 0, resetAfterMs = Number.POSITIVE_INFINITY } = this.options;
    const now = this.deps.clock.elapsed();
    if (now - this.lastAt > resetAfterMs) this.failures = 0;
    const waitMs = pauseMsAfter(this.options, this.failures) * (1 + jitter * this.deps.chance());
    this.failures += 1;
    this.lastAt = now + waitMs; // the delay itself does not count as time without a failure
    return waitMs;
  }

  /** Resets the delays after a success. */
  reset(): void {
    this.failures = 0;
  }
}

const RUN_TIME = { clock: systemClock, chance: Math.random };
