// Finds objects whose stored form differs from the one that this server would write now: a former version, fields that
// the definition no longer has, or a former encryption key. It uses the cache, which knows the form in which each
// object was read. If encryption keys can change without a write, it reads each object from the store.
import { type Operation, orderForm } from "@orch/store";
import type { ResourceContext } from "../context/resource-context";
import type { OutdatedObjects, ReadOptions } from "../contract/operations";
import type { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { readable, UnreadableObject } from "../objects/unreadable-objects";
import type { EntryTree } from "../snapshots/snapshots";

/** Maximum number of objects examined in one call, so that the caller regains control. */
const OBJECTS_MAX = 1000;
/**
 * Numbers of objects read at once. The first reads are small, because a caller that gets a result searches again after
 * it.
 */
const ASKED_FIRST = 1;
const ASKED_MAX = 64;
const ASKED_BYTES_MAX = 4 * 1024 * 1024;

/** @param after "" to begin; otherwise the `after` of the last search */
export async function outdated(
  context: ResourceContext,
  after: string,
  options: ReadOptions,
): Promise<OutdatedObjects> {
  const { cache, loop, store } = context;
  const { signal } = options;
  const { tree } = cache;
  const start = positionAfter(tree, after);
  const end = Math.min(tree.size, start + OBJECTS_MAX);
  let path = after;
  let askedMax = ASKED_FIRST;
  for (let at = start; at < end; ) {
    const entries =
      store.marksValues === true ? nextAsked(tree, at, Math.min(end, at + askedMax)) : [entryAt(tree, at)];
    askedMax = Math.min(askedMax * 2, ASKED_MAX);
    const asStored = store.marksValues === true ? await storedNow(context, entries, options) : entries;
    for (const [index, entry] of entries.entries()) {
      if (loop.isOver) await loop.next();
      if (signal?.aborted) return { looked: at - start, after: path, found: undefined, isEnd: false };
      at += 1;
      path = entry.path;
      const found = asStored[index];
      if (found !== undefined && mayDiffer(found)) {
        const { namespace, name } = entry;
        return { looked: at - start, after: path, found: { namespace, name }, isEnd: false };
      }
    }
  }
  return { looked: end - start, after: path, found: undefined, isEnd: end === tree.size };
}

function positionAfter(tree: EntryTree, path: string): number {
  if (path === "") return 0;
  const position = tree.rank(orderForm(path));
  return tree.at(position)?.path === path ? position + 1 : position;
}

const entryAt = (tree: EntryTree, at: number): StoredEntry => tree.at(at) as StoredEntry;

function nextAsked(tree: EntryTree, start: number, end: number): readonly StoredEntry[] {
  const entries: StoredEntry[] = [];
  let bytes = 0;
  for (let at = start; at < end && bytes < ASKED_BYTES_MAX; at += 1) {
    const entry = entryAt(tree, at);
    entries.push(entry);
    bytes += entry.inStore().length;
  }
  return entries;
}

/** Reads the present form from the store. @returns undefined for an object that is deleted or unreadable */
async function storedNow(
  { store, keys, cache }: ResourceContext,
  entries: readonly StoredEntry[],
  options: ReadOptions,
): Promise<readonly (StoredEntry | undefined)[]> {
  const then = entries.map(({ path }): Operation => ({ kind: "range", start: keys.start + path }));
  const { results } = await store.txn({ compare: [], then }, options);
  return entries.map(({ path }, index) => {
    const result = results[index];
    const item = result?.kind === "range" ? result.items[0] : undefined;
    const read = item && readable(() => cache.toEntry(storedItem(path, item)));
    return read instanceof UnreadableObject ? undefined : read;
  });
}

/** Whether the object may need a rewrite. If the check takes long, the rewrite makes it. */
const mayDiffer = (entry: StoredEntry): boolean =>
  (entry.isLarge && entry.form.definition.renew !== undefined) || !entry.isCurrent;
