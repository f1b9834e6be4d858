// Time and chance as parameters, so that tests own them.

export interface Clock {
  /** Milliseconds since the epoch: for times that are written down and compared with other machines' times. */
  now(): number;
  /** Milliseconds that never run backwards, whatever is done to the machine's date: for measuring how long something took. */
  elapsed(): number;
  /**
   * Calls back once, after `delayMs`.
   * @param options `background`: a timer that alone does not keep the process alive
   * @returns cancels it
   */
  after(delayMs: number, callback: () => void, options?: { readonly background?: boolean }): () => void;
}

/** At least 0, less than 1. */
export type Chance = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback, options) {
    const timer = setTimeout(callback, delayMs);
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
