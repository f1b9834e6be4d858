// Time and randomness as parameters, so that tests control them.

export interface Clock {
  /** Returns milliseconds since the epoch, for times that are stored and compared between machines. */
  now(): number;
  /** Returns monotonic milliseconds, for measuring durations. */
  elapsed(): number;
  /**
   * Calls back once after `delayMs`.
   * @param options `background`: the timer does not keep the process alive
   * @returns cancels it
   */
  after(delayMs: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}

/** Returns a random number, at least 0 and less than 1. */
export type RandomSource = () => number;

/** Maximum delay of a Node.js timer. A longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback, options) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const next = leftMs > TIMER_MAX_MS ? () => wait(leftMs - TIMER_MAX_MS) : callback;
      timer = setTimeout(next, Math.min(leftMs, TIMER_MAX_MS));
      if (options?.background === true) timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};
