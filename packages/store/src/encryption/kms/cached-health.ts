// The outcome of a health check, cached for a while, longer when it was good. Concurrent callers share one check.

import type { Clock } from "@orch/platform";

const GOOD_FOR_MS = 20_000;
const BAD_FOR_MS = 3_000;

export class CachedHealth {
  private looking: Promise<void> | undefined;
  private last: { readonly outcome: Promise<void>; readonly untilMs: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly look: () => Promise<void>,
  ) {}

  /** @throws what the check has thrown */
  check(): Promise<void> {
    if (this.last !== undefined && this.clock.elapsed() < this.last.untilMs) return this.last.outcome;
    return this.lookNow();
  }

  /** Checks now. Joins a check in progress, but ignores a cached outcome. */
  lookNow(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    const outcome = this.look();
    const found = (keptForMs: number): void => {
      this.last = { outcome, untilMs: this.clock.elapsed() + keptForMs };
    };
    await outcome.then(
      () => found(GOOD_FOR_MS),
      (error: unknown) => {
        found(BAD_FOR_MS);
        throw error;
      },
    );
  }
}
