// Waits for a condition that other parts bring about.
import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** Text for the error, such as `the pod to run`. Default: `the condition`. */
  readonly what?: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Calls a function until it returns a value that is not false, undefined or null. The pauses between calls grow from 2
 * to 50 ms. An error of the function counts as "not yet", and is the cause of the error at the end.
 * @throws Error when the time has passed
 */
export async function settled<T>(
  look: () => T | Promise<T>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, what = "the condition" }: WaitOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const start = performance.now();
  let failure: unknown;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const found = await look();
      failure = undefined;
      if (found !== false && found !== undefined && found !== null) return found as NonNullable<Exclude<T, false>>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - start >= timeoutMs) {
      const why = failure === undefined ? "" : `: ${failure instanceof Error ? failure.message : String(failure)}`;
      throw new Error(`waited ${timeoutMs} ms for ${what}${why}`, { cause: failure });
    }
    await pause(pauseMs);
  }
}
