// A clock that stands still until a test moves it.

import type { Clock } from "../clock";

export class ManualClock implements Clock {
  #now = Date.UTC(2024, 0, 1);
  readonly #alarms = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { at: this.#now + delayMs, callback };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Passes time, calling what falls due in its order. */
  advance(byMs: number): void {
    const end = this.#now + byMs;
    for (;;) {
      const next = [...this.#alarms].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#alarms.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }
}
