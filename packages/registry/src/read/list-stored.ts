// Lists from the store: for versions that the cache no longer holds, and while the cache is behind.

import type { ResourceContext } from "../context/resource-context";
import type { ListRequest, ReadOptions } from "../contract/operations";
import { predicateOf, selectsAll } from "../objects/selection";
import type { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { readable, UnreadableObject } from "../objects/unreadable-objects";

/** The entries of a chunk and information about the rest. */
export interface Chunk {
  readonly entries: readonly StoredEntry[];
  readonly more: boolean;
  /** Undefined when a selection makes it unknown. */
  readonly remaining: number | undefined;
  /** Number of objects that were read. Default: the number of entries. */
  readonly fetched?: number;
}

/** Minimum page size. The store counts the whole range for each page, so smaller pages cost more than they save. */
const PAGE_MIN = 500;

/**
 * Reads one chunk.
 * @param request `startKey`: relative to the namespace, "" for the beginning; `revision` 0: now
 * @throws StoreError
 */
export async function listStored(
  context: ResourceContext,
  request: ListRequest & { readonly startKey: string; readonly revision: number },
  options: ReadOptions,
): Promise<{ chunk: Chunk; revision: number }> {
  const { store, cache, keys } = context;
  const { namespace, selection, limit } = request;
  const root = namespace === "" ? keys.start : `${keys.start}${namespace}/`;
  const end = namespace === "" ? keys.end : `${keys.start}${namespace}0`;
  const matches = predicateOf("", selection) ?? (() => true);
  const entries: StoredEntry[] = [];
  // One extra item shows whether more follow.
  const page = limit > 0 ? Math.max(limit + 1, PAGE_MIN) : PAGE_MIN;
  let { revision } = request;
  let start = root + request.startKey;
  let total: number | undefined;
  let fetched = 0;
  for (;;) {
    const result = await store.range({ start, end, limit: page, revision }, options);
    context.observer.storeRead?.(context.definition.plural, result.items.length);
    // All pages are read at the revision of the first.
    if (revision === 0) revision = result.revision;
    total ??= result.count;
    fetched += result.items.length;
    for (const item of result.items) {
      if (context.loop.isOver) await context.loop.next();
      const entry = readable(() => cache.toEntry(storedItem(item.key.slice(keys.start.length), item)));
      if (entry instanceof UnreadableObject || !matches(entry)) continue;
      if (limit > 0 && entries.length === limit) {
        const remaining = selectsAll(selection) ? total - limit : undefined;
        return { chunk: { entries, more: true, remaining, fetched }, revision };
      }
      entries.push(entry);
    }
    const last = result.items.at(-1);
    if (!result.more || last === undefined)
      return { chunk: { entries, more: false, remaining: undefined, fetched }, revision };
    start = `${last.key}\0`;
  }
}
