// Cancellable delays.

import type { Clock } from "./clock";
import type { StopSignal } from "./end-signal";

/** Waits. @throws the signal's reason as soon as it is aborted */
export function pause(clock: Clock, delayMs: number, signal?: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const callOff = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", callOff);
      resolve();
    });
    signal?.addEventListener("abort", callOff, { once: true });
  });
}

/** Waits until the delay has passed or the signal is aborted. */
export async function pauseUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  await pause(clock, delayMs, signal).catch(() => undefined);
}
