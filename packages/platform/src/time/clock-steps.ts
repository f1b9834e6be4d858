// Steps of the machine's date: an administrator or a time service sets it, forward or back. Timers that end at a time of day were armed by
// the former date, and have to be armed anew.
import type { Clock } from "./clock";

/** A smaller difference is the drift of the two clocks, which a time service evens out little by little. */
export const CLOCK_STEP_MS = 1_000;

/** How long a step may stay unnoticed. */
export const CLOCK_STEP_NOTICED_MS = 30_000;

/** Tells whether the date was set since it was asked last. */
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
