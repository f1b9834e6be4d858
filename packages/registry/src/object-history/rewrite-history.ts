// Writes the kept states of a resource again that are encrypted with a former key, as a storage migration does with its
// objects. The keys stay, and with them the revisions that they tell.
import type { ResourceContext } from "../context/resource-context";
import type { ReadOptions } from "../contract/operations";
import { readFailure } from "../contract/store-failures";
import { revisionSpace } from "./revision-list";

/** A value may have the size of a request of the store. */
const PAGE_VALUES = 8;

/**
 * @param turn awaited before each write
 * @returns the number of states that were written
 * @throws StatusError, as a read of the store does
 */
export async function rewriteHistory(
  context: ResourceContext,
  turn: () => Promise<void>,
  options: ReadOptions,
): Promise<number> {
  const { store, resource } = context;
  // Otherwise all values are stored as they are.
  if (store.marksValues !== true) return 0;
  const { start, end } = revisionSpace(context);
  let written = 0;
  try {
    for (let from = start; options.signal?.aborted !== true; ) {
      const { items, more } = await store.range({ start: from, end, limit: PAGE_VALUES }, options);
      for (const { key, value, modRevision, mark } of items) {
        if (mark?.kind !== "stale") continue;
        await turn();
        const compare = [{ key, target: "modRevision", is: "=", revision: modRevision }] as const;
        const { succeeded } = await store.txn({ compare, then: [{ kind: "put", key, value }] }, options);
        // Otherwise the bounds have removed it.
        if (succeeded) written += 1;
      }
      const last = items.at(-1)?.key;
      if (!more || last === undefined) break;
      from = `${last}\0`;
    }
  } catch (error) {
    throw readFailure(resource, "list", error);
  }
  return written;
}
