// Growing pauses after failures that follow each other.
import { type Chance, type Clock, systemClock } from "./clock";

export interface PauseGrowth {
  readonly firstMs: number;
  /** Default 2. */
  readonly factor?: number;
  readonly maxMs: number;
}

/** The pause after a failure, in milliseconds. @param before how many failures came before this one */
export const pauseMsAfter = ({ firstMs, factor = 2, maxMs }: PauseGrowth, before: number): number =>
  Math.min(firstMs * factor ** before, maxMs);

export interface BackoffOptions extends PauseGrowth {
  /**
   * The largest share of a pause that is added to it at random, beyond `maxMs` too, so that clients that failed together do not return
   * together. Default none.
   */
  readonly jitter?: number;
  /** The next failure counts as the first again after this long without one. Default: only after `reset`. */
  readonly resetAfterMs?: number;
}

export class Backoff {
  private failures = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: BackoffOptions,
    private readonly deps: { readonly clock: Clock; readonly chance: Chance } = RUN_TIME,
  ) {}

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    const { jitter = 0, resetAfterMs = Number.POSITIVE_INFINITY } = this.options;
    const now = this.deps.clock.elapsed();
    if (now - this.lastAt > resetAfterMs) this.failures = 0;
    const waitMs = pauseMsAfter(this.options, this.failures) * (1 + jitter * this.deps.chance());
    this.failures += 1;
    this.lastAt = now + waitMs; // the pause itself is not a quiet time
    return waitMs;
  }

  /** What was tried has worked. */
  reset(): void {
    this.failures = 0;
  }
}

const RUN_TIME = { clock: systemClock, chance: Math.random };
