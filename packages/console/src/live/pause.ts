// Pauses of clients of a server that does not answer, or refuses.
import type { Failure } from "../requests/failure";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Pauses between attempts to connect: they double up to half a minute, and are spread so that the browsers of many users do
 * not come back at one moment.
 */
export class Pauses {
  private next = FIRST_PAUSE_MS;

  /** @param random in [0, 1) @param atLeast what the server asks for */
  take(random: number, atLeast = 0): number {
    const pause = this.next * (0.75 + random / 2);
    this.next = Math.min(2 * this.next, LONGEST_PAUSE_MS);
    return Math.max(pause, atLeast);
  }

  /** The connection works: the next pause is short again. */
  reset(): void {
    this.next = FIRST_PAUSE_MS;
  }
}

/** A refusal may be lifted by an administrator. */
const AFTER_REFUSAL_MS = 30_000;

/** Returns the shortest pause after a failure, in milliseconds. */
export function pauseAfter(failure: Failure | undefined): number {
  if (failure === undefined) return 0;
  if (failure.code === 403 || failure.code === 404) return AFTER_REFUSAL_MS;
  return (failure.retryAfterSeconds ?? 0) * 1000;
}

/** Waits, or until the signal ends the wait or the browser is online again. */
export function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    addEventListener("online", end);
  });
}
