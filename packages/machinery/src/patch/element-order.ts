// The order of a merged list: the patch's for the items that it names, the live list's for the others, woven together.
// Source: facts, strategic-merge.md "Ordering".
import type { JsonArray, JsonValue } from "@orch/schema";
import { unclassified } from "../server-errors";
import { isObject, PATCH } from "./merge-directives";

/**
 * @param lists order: items, or objects that hold just the merge key, in the wanted order
 * @param mergeKey undefined for lists of plain values
 */
export function inPatchOrder(
  lists: { readonly merged: JsonArray; readonly live: JsonArray; readonly order: JsonArray },
  mergeKey: string | undefined,
): JsonArray {
  const keyOf = keyReader(mergeKey);
  const wanted = places(lists.order.map(keyOf));
  const before = places(lists.live.map(keyOf));
  const named: JsonArray = [];
  const others: JsonArray = [];
  for (const item of lists.merged) (wanted.has(keyOf(item)) ? named : others).push(item);
  named.sort((a, b) => placeOf(wanted, keyOf(a)) - placeOf(wanted, keyOf(b)));
  return woven(named, others, (item) => before.get(keyOf(item)));
}

/**
 * A patch whose items stand in another order than its own `$setElementOrder` says contradicts itself.
 * @throws StatusError, unclassified (500)
 */
export function requireSameOrder(patch: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const keyOf = keyReader(mergeKey);
  const keys = order.map(keyOf);
  let from = 0;
  for (const item of patch) {
    if (isObject(item) && item[PATCH] !== undefined) continue;
    const place = keys.indexOf(keyOf(item), from);
    if (place < 0) throw unclassified("The order in patch list doesn't match the setElementOrder list");
    from = place + 1;
  }
}

/** An item that only the server knows goes first where it stood before the named one in the live list; else the named one does. */
function woven(named: JsonArray, others: JsonArray, livePlace: (item: JsonValue) => number | undefined): JsonArray {
  const result: JsonArray = [];
  let nextOther = 0;
  for (const item of named) {
    const place = livePlace(item);
    for (; place !== undefined && nextOther < others.length; nextOther++) {
      const other = others[nextOther] as JsonValue;
      const otherPlace = livePlace(other);
      if (otherPlace === undefined || otherPlace > place) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(nextOther)];
}

function keyReader(mergeKey: string | undefined): (item: JsonValue) => string {
  return (item) => JSON.stringify(mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
}

const places = (keys: readonly string[]): Map<string, number> => new Map(keys.map((key, place) => [key, place]));

const placeOf = (map: ReadonlyMap<string, number>, key: string): number => map.get(key) ?? 0;
