// A clock that a test moves. It has the interface of Clock in @orch/platform, which is a higher layer than this
// package.

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualClock {
  private ms = 0;
  private steppedMs = 0;
  private readonly timers = new Set<Timer>();

  /** @param epochMs initial time in milliseconds since 1970 */
  constructor(private readonly epochMs = Date.UTC(2030, 0, 1)) {}

  now(): number {
    return this.epochMs + this.steppedMs + this.ms;
  }

  elapsed(): number {
    return this.ms;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.ms + Math.max(delayMs, 0), callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Steps the wall clock forward, or back by a negative number. No time passes. */
  step(byMs: number): void {
    this.steppedMs += byMs;
  }

  /**
   * Steps the wall clock far, and lets only the last part of the time pass: periodic timers fire only for that part.
   */
  leap(byMs: number, lastMs = 60_000): void {
    this.step(byMs - lastMs);
    this.advance(lastMs);
  }

  /** Number of waiting timers. */
  get waiting(): number {
    return this.timers.size;
  }

  /** Lets time pass, and fires timers in their order. */
  advance(byMs: number): void {
    const until = this.ms + byMs;
    while (this.ringNext(until));
    this.ms = until;
  }

  /** Lets time pass, and fires timers in their order. The work started by one ends before the next. */
  async pass(byMs: number): Promise<void> {
    const until = this.ms + byMs;
    await settled();
    while (this.ringNext(until)) await settled();
    this.ms = until;
  }

  private ringNext(until: number): boolean {
    let due: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.at <= until && (due === undefined || timer.at < due.at)) due = timer;
    }
    if (due === undefined) return false;
    this.timers.delete(due);
    this.ms = Math.max(this.ms, due.at);
    due.callback();
    return true;
  }
}

/** Resolves after all promises that need neither time nor I/O have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
