import type { Failure } from "../requests/failure";

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
