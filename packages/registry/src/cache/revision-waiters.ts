// Requests that wait until the cache has reached a revision.

import type { Clock, EndSignal } from "@orch/platform";

interface Waiter {
  readonly revision: number;
  readonly done: (reached: boolean) => void;
}

export class RevisionWaiters {
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly clock: Clock) {}

  /**
   * Waits for a revision.
   * @param bound how long to wait, and the signal that ends the wait early
   * @returns false when the time is up or the caller gave up
   */
  wait(
    revision: number,
    bound: { readonly timeoutMs: number; readonly signal?: EndSignal | undefined },
  ): Promise<boolean> {
    if (bound.signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        this.waiting.delete(waiter);
        cancel();
        bound.signal?.removeEventListener("abort", giveUp);
        resolve(reached);
      };
      const giveUp = () => done(false);
      const waiter = { revision, done };
      const cancel = this.clock.after(bound.timeoutMs, giveUp, { background: true });
      bound.signal?.addEventListener("abort", giveUp);
      this.waiting.add(waiter);
    });
  }

  reached(revision: number): void {
    if (this.waiting.size === 0) return;
    for (const waiter of [...this.waiting]) if (waiter.revision <= revision) waiter.done(true);
  }
}
