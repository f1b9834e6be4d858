// Waiting for something outside this process, with a bound.
import { setTimeout as sleep } from "node:timers/promises";

export { sleep };

/**
 * Asks again and again until the answer is neither undefined nor false.
 * @throws Error naming `what` after `timeoutMs`
 */
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

/** @throws Error naming `what` when `promise` takes longer; the promise itself is left alone */
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
