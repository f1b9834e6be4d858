// Bounded waiting for external conditions.
import { setTimeout as sleep } from "node:timers/promises";

export { sleep };

/** Polls until the result is neither undefined nor false. @throws Error that names `what` after `timeoutMs` */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
  { timeoutMs = 15_000, pauseMs = 20 }: { timeoutMs?: number; pauseMs?: number } = {},
): Promise<Answer> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}

/**
 * Awaits a promise for a limited time; the promise itself is not affected.
 * @throws Error that names `what` when it takes longer
 */
export async function within<Value>(timeoutMs: number, what: string, promise: Promise<Value>): Promise<Value> {
  const stop = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`not within ${timeoutMs} ms: ${what}`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}
