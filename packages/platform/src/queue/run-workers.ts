// Workers that take items from a queue and see to them.
import { type Log, silentLog } from "../log";
import type { WorkQueue } from "./work-queue";

/** An item that was seen to is to be looked at again. */
export interface Again {
  readonly againAfterMs: number;
}

/**
 * Makes the world as the item wants it. Called for one item by one worker at a time; what it throws means: try again later.
 * @param signal aborted when the workers are told to stop
 */
export type Reconcile<Item> = (item: Item, signal: AbortSignal) => Promise<void> | Promise<Again | undefined>;

export interface WorkersOptions<Item> {
  readonly queue: WorkQueue<Item>;
  /** How many items at once. */
  readonly workers: number;
  readonly reconcile: Reconcile<Item>;
  /** Whether an item that has failed so often in a row is left until somebody adds it again. Absent: it is never given up. */
  givesUp?(failures: number, error: unknown): boolean;
  /** Ends the work: items under way end, those that wait are left. */
  readonly signal: AbortSignal;
  readonly log?: Log;
}

/** @returns resolves when the signal was aborted and no worker works any more */
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
    const message = isGivenUp ? "an item is left as it is" : "an item is tried again";
    log.warn(message, { item: String(item), failures, error: String(error) });
  }
  if (isGivenUp) queue.forget(item);
  else queue.retry(item);
}
