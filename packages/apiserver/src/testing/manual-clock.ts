// A clock that stands still until a test moves it.
import type { Clock } from "@orch/registry";

export class ManualClock implements Clock {
  private readonly alarms = new Set<{ readonly at: number; readonly callback: () => void }>();

  /** @param time milliseconds since 1970 */
  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { at: this.time + delayMs, callback };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  /** Passes time, calling what falls due in its order. */
  advance(byMs: number): void {
    const end = this.time + byMs;
    for (;;) {
      const [next] = [...this.alarms].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.alarms.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }
}
