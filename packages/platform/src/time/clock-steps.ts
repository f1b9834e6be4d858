// Steps of the wall clock: an administrator or a time service sets it forward or back. Timers for a time of day were
// set by the former clock and must be set again.
import type { Clock } from "./clock";

/**
 * Minimum difference of a step. A smaller one is the drift of the two clocks, which a time service corrects gradually.
 */
export const CLOCK_STEP_MS = 1_000;

/** Maximum time until a step is noticed. */
export const CLOCK_STEP_NOTICED_MS = 30_000;

/** Detects whether the wall clock was set since the last call. */
export class ClockSteps {
  private offsetMs: number;

  constructor(private readonly clock: Pick<Clock, "now" | "elapsed">) {
    this.offsetMs = this.offset();
  }

  hasStepped(): boolean {
    const before = this.offsetMs;
    this.offsetMs = this.offset();
    return Math.abs(this.offsetMs - before) >= CLOCK_STEP_MS;
  }

  private offset(): number {
    return this.clock.now() - this.clock.elapsed();
  }
}
