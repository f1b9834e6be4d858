// Limits how often the same help is given: programs that try again for hours would fill their logs with it.
import type { Clock } from "@orch/platform";

const HINTS_MAX = 10;
const WITHIN_MS = 3_600_000;

export class HintLimit {
  private given = 0;
  private sinceMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, "elapsed">) {}

  /** Reports whether a hint may be given now, and counts it. At most ten are given in an hour. */
  take(): boolean {
    const nowMs = this.clock.elapsed();
    if (nowMs - this.sinceMs >= WITHIN_MS) {
      this.sinceMs = nowMs;
      this.given = 0;
    }
    this.given += 1;
    return this.given <= HINTS_MAX;
  }
}
