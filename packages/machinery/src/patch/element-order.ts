// Orders a merged list: items named in the patch in the patch's order, other items in the live order, interleaved.
// Source: `mergeSliceWithSpecialElements` and `normalizeElementOrder` in
// staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
import { isObject, type JsonArray, type JsonValue, memberOf } from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import type { StatusError } from "../errors/status-error";
import { jsonText } from "../json/json-text";
import { PATCH } from "./merge-directives";
import { type ItemKey, itemKey } from "./merge-object-list";

/**
 * Orders a merged list.
 * @param lists order: items, or objects that contain only the merge key, in the wanted order
 * @param mergeKey undefined for lists of scalars
 */
export function inPatchOrder(
  lists: { readonly merged: JsonArray; readonly live: JsonArray; readonly order: JsonArray },
  mergeKey: string | undefined,
): JsonArray {
  const keyOf = keyReader(mergeKey);
  const wanted = places(lists.order.map(keyOf));
  const before = places(lists.live.map(keyOf));
  const named: Placed[] = [];
  const others: Placed[] = [];
  for (const item of lists.merged) {
    const key = keyOf(item);
    const place = wanted.get(key);
    const placed = { item, wanted: place ?? 0, live: before.get(key) };
    (place === undefined ? others : named).push(placed);
  }
  named.sort((a, b) => a.wanted - b.wanted);
  others.sort((a, b) => (a.live ?? LAST) - (b.live ?? LAST));
  return woven(named, others);
}

const LAST = Number.MAX_SAFE_INTEGER;

/** An item with its index in the patch's order and in the live list. */
interface Placed {
  readonly item: JsonValue;
  readonly wanted: number;
  readonly live: number | undefined;
}

/**
 * Rejects a patch that contradicts itself: its items are in a different order than its own `$setElementOrder`, or that
 * list does not name all of them.
 * @throws StatusError, unclassified (500), as in kube-apiserver
 */
export function requireSameOrder(patch: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const keyOf = keyReader(mergeKey);
  const keys = order.map(keyOf);
  let from = 0;
  for (const item of patch) {
    if (isObject(item) && item[PATCH] !== undefined) continue;
    const place = keys.indexOf(keyOf(item), from);
    if (place < 0) throw orderMismatch(patch, order);
    from = place + 1;
  }
}

const orderMismatch = (patch: JsonArray, order: JsonArray): StatusError =>
  unclassified(
    `The order in patch list:\n${jsonText(patch)}\n doesn't match $setElementOrder list:\n${jsonText(order)}\n` +
      "$setElementOrder must name every item of the patch list, in the same order",
  );

/**
 * Interleaves both lists: an item missing in the patch precedes the next named item when it preceded that item in the
 * live list; otherwise the named item comes first.
 */
function woven(named: readonly Placed[], others: readonly Placed[]): JsonArray {
  const result: JsonArray = [];
  let nextOther = 0;
  for (const { item, live } of named) {
    for (; live !== undefined && nextOther < others.length; nextOther++) {
      const other = others[nextOther] as Placed;
      if (other.live === undefined || other.live > live) break;
      result.push(other.item);
    }
    result.push(item);
  }
  for (const { item } of others.slice(nextOther)) result.push(item);
  return result;
}

/** Returns a function that reads an item's key; undefined for an item without its key. */
function keyReader(mergeKey: string | undefined): (item: JsonValue) => ItemKey | undefined {
  return (item) => {
    const value = mergeKey !== undefined && isObject(item) ? memberOf(item, mergeKey) : item;
    return value === undefined ? undefined : itemKey(value);
  };
}

/** Maps keys to their first index. */
function places(keys: readonly (ItemKey | undefined)[]): ReadonlyMap<ItemKey | undefined, number> {
  const found = new Map<ItemKey | undefined, number>();
  for (const [place, key] of keys.entries()) if (!found.has(key)) found.set(key, place);
  return found;
}
