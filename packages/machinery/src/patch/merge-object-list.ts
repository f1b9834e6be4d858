// Merges lists of objects that a key tells apart. Source: facts, strategic-merge.md "mergeSlice".
import type { JsonObject } from "@orch/schema";
import { jsonText } from "../json-text";
import { sameJson } from "../same-json";
import { unclassified } from "../server-errors";
import { PATCH } from "./merge-directives";

/**
 * @param lists those of the live object and of the patch
 * @param by mergeItem: merges one item of the patch with the live one of its key, or with an empty object
 * @returns live items in their order, merged with the patch's of the same key, then the patch's other items
 */
export function mergeObjectList(
  { live, patch }: { readonly live: readonly JsonObject[]; readonly patch: readonly JsonObject[] },
  by: {
    readonly mergeKey: string | undefined;
    readonly mergeItem: (live: JsonObject, patch: JsonObject) => JsonObject;
  },
): JsonObject[] {
  const { mergeKey, mergeItem } = by;
  if (mergeKey === undefined) throw unclassified("cannot merge lists of objects without a merge key in the schema");
  const plain = patch.filter((item) => item[PATCH] === undefined);
  if (patch.some((item) => item[PATCH] === "replace")) return plain;
  const deleted = patch.filter((item) => item[PATCH] !== undefined).map((item) => keyToDelete(item, mergeKey));
  const merged = live.filter((item) => !deleted.some((key) => sameJson(key, item[mergeKey])));
  for (const item of plain) {
    const key = keyOf(item, mergeKey);
    const place = merged.findIndex((each) => sameJson(each[mergeKey], key));
    const found = merged[place];
    if (found === undefined) merged.push(mergeItem({}, item));
    else merged[place] = mergeItem(found, item);
  }
  return merged;
}

function keyToDelete(item: JsonObject, mergeKey: string) {
  if (item[PATCH] !== "delete") throw unclassified(`Unknown patch type found: ${jsonText(item[PATCH])}`);
  return keyOf(item, mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string) {
  const key = item[mergeKey];
  if (key === undefined)
    throw unclassified(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}
