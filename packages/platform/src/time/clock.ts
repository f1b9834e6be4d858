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

/** A timer of the runtime that is to ring later rings at once. */
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
