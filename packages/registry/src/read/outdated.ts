// Which objects lie in the store otherwise than this server would store them now: in a former version, with what their definition says
// nothing of any more, under a former key. From the cache, which knows how each has come.
import { orderForm } from "@orch/store";
import type { EntryTree } from "../cache/snapshots";
import type { StoredEntry } from "../objects/stored-entry";
import type { OutdatedSearch, ReadOptions } from "../registry";
import type { ResourceContext } from "../resource-context";

/** Looked at in one call: whoever asks has other things to see to. */
const OBJECTS_MAX = 1000;

/** @param after "" to begin; else where the last search has come to */
export async function outdated(
  { cache, loop }: ResourceContext,
  after: string,
  { signal }: ReadOptions,
): Promise<OutdatedSearch> {
  const { tree } = cache;
  const start = positionAfter(tree, after);
  const end = Math.min(tree.size, start + OBJECTS_MAX);
  let path = after;
  for (let at = start; at < end; at += 1) {
    if (loop.isOver) await loop.next();
    if (signal?.aborted) return { looked: at - start, after: path, found: undefined, isEnd: false };
    const entry = tree.at(at) as StoredEntry;
    path = entry.path;
    if (mayDiffer(entry)) {
      const { namespace, name } = entry;
      return { looked: at - start + 1, after: path, found: { namespace, name }, isEnd: false };
    }
  }
  return { looked: end - start, after: path, found: undefined, isEnd: end === tree.size };
}

function positionAfter(tree: EntryTree, path: string): number {
  if (path === "") return 0;
  const position = tree.rank(orderForm(path));
  return tree.at(position)?.path === path ? position + 1 : position;
}

/** What takes long to tell is left to whoever rewrites it. */
const mayDiffer = (entry: StoredEntry): boolean =>
  (entry.hasManyValues && entry.form.definition.renew !== undefined) || !entry.isCurrent;
