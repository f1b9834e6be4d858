// Waiting that ends early when its signal is aborted.
import { setTimeout as sleep } from "node:timers/promises";

export async function pauseUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
