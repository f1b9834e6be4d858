// Work on many objects at once, with results in the order of the objects.
import { ConnectionError } from "@orch/client";

/** Requests in flight. A server answers more at a time, but few clients have more of its fair share. */
const IN_FLIGHT = 8;

export interface InOrderOptions<Item, Result> {
  readonly work: (item: Item) => Promise<Result>;
  /** Called in the order of the items, for those whose work succeeded. */
  readonly done?: (item: Item, result: Result) => void;
  /** Called when an item is finished, in any order. */
  readonly finished?: () => void;
  readonly signal: AbortSignal;
  /** Default: 8. */
  readonly inFlight?: number;
}

/**
 * Works on all items, also when some fail. Ends early when the server is away.
 * @returns the errors, in the order of the items
 * @throws the signal's reason
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  { work, done, finished, signal, inFlight = IN_FLIGHT }: InOrderOptions<Item, Result>,
): Promise<readonly unknown[]> {
  const results = new Map<number, { readonly result: Result } | { readonly error: unknown }>();
  const errors: unknown[] = [];
  let next = 0;
  let told = 0;
  let unreachable = 0;
  const tell = () => {
    for (let found = results.get(told); found !== undefined; found = results.get(told)) {
      results.delete(told);
      if ("error" in found) errors.push(found.error);
      else done?.(items[told] as Item, found.result);
      told += 1;
    }
  };
  const worker = async () => {
    while (next < items.length && unreachable < inFlight) {
      signal.throwIfAborted();
      const at = next;
      next += 1;
      try {
        results.set(at, { result: await work(items[at] as Item) });
        unreachable = 0;
      } catch (error) {
        signal.throwIfAborted();
        unreachable = error instanceof ConnectionError ? unreachable + 1 : 0;
        results.set(at, { error });
      }
      finished?.();
      tell();
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, items.length) }, worker));
  return errors;
}

/** Throws the errors of several objects together; one error alone as itself. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} objects failed`);
}
