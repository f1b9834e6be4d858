// A chunk of a list that is sorted by a field. Every chunk reads all objects of the list, and keeps those that it may
// return: the next ones in the order. A continue token names the last object of the chunk before, whose place in the
// order is found again in the state of the same revision, so that no order is kept between requests.

import { badRequest } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/platform";
import { orderForm } from "@orch/store";
import type { EntryPredicate } from "../objects/selection";
import type { StoredEntry } from "../objects/stored-entry";
import type { EntryTree } from "../snapshots/snapshots";
import type { Chunk } from "./list-stored";
import { sortInSlices } from "./sort-in-slices";
import { compareKeys, type SortKey, type SortOrder, sortKeyReader } from "./sort-key";

/** Maximum number of objects of one sorted answer. Each takes about 100 bytes during the sort. */
const SORTED_MAX = 100_000;
/** Number of entries read from the tree at once. */
const SCAN_ENTRIES = 512;
/** Cost between two checks of the turn's time: bytes that are searched, and a fixed cost for each object. */
const COST_BETWEEN = 128 * 1024;
const COST_OF_AN_OBJECT = 1024;
/** Number of kept objects, beyond the limit, at which those that the chunk cannot contain are dropped. */
const SPARE_MIN = 1024;

interface Ordered {
  readonly entry: StoredEntry;
  readonly key: SortKey;
  /** Position in the tree, which orders objects with equal keys. */
  readonly at: number;
}

interface SortedScan {
  readonly from: number;
  readonly to: number;
  /** 0: no limit. */
  readonly limit: number;
  readonly matches: EntryPredicate | undefined;
  readonly order: SortOrder;
  /** Path of the last object of the chunk before; undefined for the first chunk. */
  readonly after: string | undefined;
  readonly loop: EventLoopYielder;
}

/**
 * @throws StatusError BadRequest (400) for more objects than one answer may sort, and for a token of an object that the
 * state does not have
 */
export async function sortedChunk(tree: EntryTree, scan: SortedScan): Promise<Chunk> {
  const { from, to, limit, matches, order, loop } = scan;
  const keyOf = sortKeyReader(order);
  const compare = (one: Ordered, other: Ordered) =>
    compareKeys(one.key, other.key, order.descending) || one.at - other.at;
  const after = scan.after === undefined ? undefined : placeOf(tree, scan.after, keyOf);
  const isBounded = limit > 0 && limit <= SORTED_MAX;
  let kept: Ordered[] = [];
  /** The last object of a full chunk, so far. */
  let last: Ordered | undefined;
  let following = 0;
  let cost = 0;
  for (let start = from; start < to; start += SCAN_ENTRIES) {
    const entries = tree.slice(start, Math.min(start + SCAN_ENTRIES, to));
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index] as StoredEntry;
      cost += COST_OF_AN_OBJECT + entry.weight;
      if (cost > COST_BETWEEN) {
        cost = 0;
        await loop.pause();
      }
      if (matches?.(entry) === false) continue;
      const next = { entry, key: keyOf(entry), at: start + index };
      if (after !== undefined && compare(next, after) <= 0) continue;
      following += 1;
      if (last !== undefined && compare(next, last) > 0) continue;
      kept.push(next);
      if (!isBounded && kept.length > SORTED_MAX) throw tooMany();
      if (!isBounded || kept.length < limit + Math.max(limit, SPARE_MIN)) continue;
      kept = (await sortInSlices(kept, compare, loop)).slice(0, limit);
      last = kept[limit - 1];
    }
  }
  const sorted = await sortInSlices(kept, compare, loop);
  const entries = (limit === 0 ? sorted : sorted.slice(0, limit)).map(({ entry }) => entry);
  const remaining = following - entries.length;
  return { entries, more: remaining > 0, remaining, fetched: to - from };
}

function placeOf(tree: EntryTree, path: string, keyOf: (entry: StoredEntry) => SortKey): Ordered {
  const at = tree.rank(orderForm(path));
  const entry = tree.at(at);
  if (entry?.path !== path) throw badRequest("invalid continue token: it names an object that the list does not have");
  return { entry, key: keyOf(entry), at };
}

const tooMany = () =>
  badRequest(`sortBy: the answer has more than ${SORTED_MAX} objects; use limit, a namespace or a selector`);
