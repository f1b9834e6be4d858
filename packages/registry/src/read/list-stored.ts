// A list from the store itself: for versions that the cache has forgotten, and for as long as it cannot keep up.

import type { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { readable, UnreadableObject } from "../objects/unreadable-objects";
import type { ListRequest, ReadOptions } from "../registry";
import type { ResourceContext } from "../resource-context";
import { predicateOf, selectsAll } from "./selection";

/** The entries of a chunk and what lies behind it. */
export interface Chunk {
  readonly entries: readonly StoredEntry[];
  readonly more: boolean;
  /** Undefined when a selection makes it unknown. */
  readonly remaining: number | undefined;
}

/** Smaller pages cost the store more than they save: it counts the whole range for each. */
const PAGE_MIN = 500;

/**
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
  // One more than is wanted shows whether there is more.
  const page = limit > 0 ? Math.max(limit + 1, PAGE_MIN) : PAGE_MIN;
  let { revision } = request;
  let start = root + request.startKey;
  let total: number | undefined;
  for (;;) {
    const result = await store.range({ start, end, limit: page, revision }, options);
    context.observer.storeRead?.(context.definition.plural, result.items.length);
    // All pages are of the first one's revision.
    if (revision === 0) revision = result.revision;
    total ??= result.count;
    for (const item of result.items) {
      if (context.loop.isOver) await context.loop.next();
      const entry = readable(() => cache.toEntry(storedItem(item.key.slice(keys.start.length), item)));
      if (entry instanceof UnreadableObject || !matches(entry)) continue;
      if (limit > 0 && entries.length === limit) {
        const remaining = selectsAll(selection) ? total - limit : undefined;
        return { chunk: { entries, more: true, remaining }, revision };
      }
      entries.push(entry);
    }
    const last = result.items.at(-1);
    if (!result.more || last === undefined) return { chunk: { entries, more: false, remaining: undefined }, revision };
    start = `${last.key}\0`;
  }
}
