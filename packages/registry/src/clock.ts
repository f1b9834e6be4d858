// Time as a parameter, so that tests own it.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls back once, after `delayMs`.
   * @returns cancels it
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** The machine's. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
