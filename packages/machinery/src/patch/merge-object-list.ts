// Merges lists of objects by key. Source: `mergeSlice` in
// staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
import { type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import { jsonText } from "../json/json-text";
import { canonicalJson } from "../json/same-json";
import { PATCH, unknownMarker } from "./merge-directives";

/**
 * Merges two lists.
 * @param lists the live list and the patch's list
 * @param by mergeItem: merges an item of the patch with the live item of the same key, if any
 * @returns the live items in their order, merged with the patch's items of the same key, followed by the patch's other
 * items
 */
export function mergeObjectList(
  { live, patch }: { readonly live: readonly JsonObject[]; readonly patch: readonly JsonObject[] },
  by: {
    readonly mergeKey: string | undefined;
    readonly mergeItem: (live: JsonObject | undefined, patch: JsonObject) => JsonObject;
  },
): JsonObject[] {
  const { mergeKey, mergeItem } = by;
  if (mergeKey === undefined) throw unclassified("cannot merge lists of objects without a merge key in the schema");
  const plain = patch.filter((item) => item[PATCH] === undefined);
  if (patch.some((item) => item[PATCH] === "replace")) return plain;
  const deleted = new Set(patch.filter((item) => item[PATCH] !== undefined).map((item) => keyToDelete(item, mergeKey)));
  const merged: JsonObject[] = [];
  /** Index of each key's first item. */
  const places = new Map<ItemKey, number>();
  const add = (item: JsonObject, key: ItemKey | undefined): void => {
    if (key !== undefined && !places.has(key)) places.set(key, merged.length);
    merged.push(item);
  };
  for (const item of live) {
    const value = memberOf(item, mergeKey);
    const key = value === undefined ? undefined : itemKey(value);
    if (key === undefined || !deleted.has(key)) add(item, key);
  }
  for (const item of plain) {
    const key = keyOf(item, mergeKey);
    const place = places.get(key);
    if (place === undefined) add(mergeItem(undefined, item), key);
    else merged[place] = mergeItem(merged[place], item);
  }
  return merged;
}

function keyToDelete(item: JsonObject, mergeKey: string): ItemKey {
  if (item[PATCH] !== "delete") throw unknownMarker(item[PATCH]);
  return keyOf(item, mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string): ItemKey {
  const value = memberOf(item, mergeKey);
  if (value !== undefined) return itemKey(value);
  throw unclassified(`map: ${jsonText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** Key of a list item. A merge key may have a value of any type; equal values have equal keys. */
export type ItemKey = string;

/** Returns the key of a value. Strings, the common case, are used without serialization. */
export const itemKey = (value: JsonValue): ItemKey => (typeof value === "string" ? `"${value}` : canonicalJson(value));
