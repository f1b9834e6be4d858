// A clock that moves only when a test moves it.
import type { Clock } from "../time/clock";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  private ms = 0;
  private readonly timers = new Set<Timer>();

  constructor(private readonly epochMs = Date.UTC(2030, 0, 1)) {}

  now(): number {
    return this.epochMs + this.ms;
  }

  elapsed(): number {
    return this.ms;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.ms + Math.max(delayMs, 0), callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.timers.size;
  }

  /** Lets time pass, ringing timers in their order, with what they set off done before the next. */
  async advance(byMs: number): Promise<void> {
    const until = this.ms + byMs;
    await settled();
    for (;;) {
      const due = [...this.timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.delete(due);
      this.ms = Math.max(this.ms, due.at);
      due.callback();
      await settled();
    }
    this.ms = until;
  }
}

/** Lets every promise that can be settled without time or I/O be settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
