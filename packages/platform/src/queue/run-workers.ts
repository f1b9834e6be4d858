// Workers that process the items of a queue.
import { type Log, silentLog } from "../logging/log";
import type { WorkQueue } from "./work-queue";

/** Requests that an item is processed again after a delay. */
export interface RequeueAfter {
  readonly againAfterMs: number;
}

/**
 * Reconciles an item. Called by one worker at a time for each item. An error causes a retry.
 * @param signal aborted when the workers are stopped
 */
export type Reconcile<Item> = (item: Item, signal: AbortSignal) => Promise<void> | Promise<RequeueAfter | undefined>;

export interface WorkersOptions<Item> {
  readonly queue: WorkQueue<Item>;
  /** Number of parallel workers. */
  readonly workers: number;
  readonly reconcile: Reconcile<Item>;
  /** Reports whether an item is dropped after this number of consecutive failures. Absent: retries never end. */
  givesUp?(failures: number, error: unknown): boolean;
  /** Stops the workers: running work ends, waiting items are dropped. */
  readonly signal: AbortSignal;
  readonly log?: Log;
}

/** Runs the workers. @returns resolves when the signal was aborted and all workers have ended */
export async function runWorkers<Item>(options: WorkersOptions<Item>): Promise<void> {
  const { queue, workers, signal } = options;
  const stop = () => queue.close();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  await Promise.all(Array.from({ length: workers }, () => work(options)));
  signal.removeEventListener("abort", stop);
}

async function work<Item>(options: WorkersOptions<Item>): Promise<void> {
  const { queue, reconcile, signal } = options;
  for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
    if (signal.aborted) {
      queue.done(item);
      continue;
    }
    try {
      const outcome = await reconcile(item, signal);
      queue.forget(item);
      if (outcome !== undefined) queue.addAfter(item, outcome.againAfterMs);
    } catch (error) {
      failed(item, error, options);
    } finally {
      queue.done(item);
    }
  }
}

function failed<Item>(item: Item, error: unknown, options: WorkersOptions<Item>): void {
  const { queue, signal, log = silentLog } = options;
  const failures = queue.failuresOf(item) + 1;
  const isGivenUp = options.givesUp?.(failures, error) === true;
  if (!signal.aborted) {
    const message = isGivenUp ? "an item failed and is dropped" : "an item failed; retrying";
    log.warn(message, { item: String(item), failures, error: String(error) });
  }
  if (isGivenUp) queue.forget(item);
  else queue.retry(item);
}
