// The patch of client-side apply: what differs between the file and the server's object, and what the file no longer
// has since it was last applied. Source: apimachinery/pkg/util/strategicpatch/patch.go, "Declarative Management of
// Kubernetes Objects" in the Kubernetes documentation, "How apply calculates differences and merges changes".
import { type PatchRules, rulesOfItems, rulesOfMember, sameJson } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";

export interface ThreeWay {
  /** The file's object when it was last applied. */
  readonly original: JsonObject;
  /** The file's object. */
  readonly modified: JsonObject;
  /** The server's object. */
  readonly current: JsonObject;
}

const PATCH = "$patch";
const RETAIN = "$retainKeys";
const ORDER = "$setElementOrder/";
const DELETE_VALUES = "$deleteFromPrimitiveList/";

/**
 * Returns the patch; empty when nothing changes.
 * @param rules those of the kind for a strategic merge patch, `UNKNOWN_PATCH_RULES` for a merge patch
 */
export function threeWayPatch(rules: PatchRules, { original, modified, current }: ThreeWay): JsonObject {
  return objectPatch(rules, { original, modified, current });
}

function objectPatch(rules: PatchRules, { original, modified, current }: ThreeWay): JsonObject {
  const patch: JsonObject = {};
  for (const [name, value] of Object.entries(modified)) {
    if (value === null || value === undefined) continue;
    const live = Object.hasOwn(current, name) ? current[name] : undefined;
    const before = Object.hasOwn(original, name) ? original[name] : undefined;
    memberPatch({ patch, name, rules: rulesOfMember(rules, name) }, { value, live, before });
  }
  for (const name of Object.keys(original)) {
    const isGone = modified[name] === undefined || modified[name] === null;
    if (isGone && Object.hasOwn(current, name)) patch[name] = null;
  }
  if (rules.retainsKeys && Object.keys(patch).length > 0) {
    patch[RETAIN] = Object.keys(modified)
      .filter((name) => modified[name] !== null)
      .sort();
  }
  return patch;
}

interface Values {
  readonly value: JsonValue;
  readonly live: JsonValue | undefined;
  readonly before: JsonValue | undefined;
}

interface Place {
  readonly patch: JsonObject;
  readonly name: string;
  readonly rules: PatchRules;
}

function memberPatch(place: Place, { value, live, before }: Values): void {
  const { patch, name, rules } = place;
  if (isObject(value) && isObject(live)) {
    if (rules.replacesObject) {
      if (!sameJson(value, live)) patch[name] = { ...value, [PATCH]: "replace" };
      return;
    }
    const inner = objectPatch(rules, { original: isObject(before) ? before : {}, modified: value, current: live });
    if (Object.keys(inner).length > 0) patch[name] = inner;
    return;
  }
  if (Array.isArray(value) && Array.isArray(live) && rules.mergesList) {
    listPatch(place, { value, live, before: Array.isArray(before) ? before : [] });
    return;
  }
  if (live === undefined || !sameJson(value, live)) patch[name] = value;
}

interface Lists {
  readonly value: JsonArray;
  readonly live: JsonArray;
  readonly before: JsonArray;
}

function listPatch(place: Place, lists: Lists): void {
  const { mergeKey } = place.rules;
  if (mergeKey === undefined) scalarListPatch(place, lists);
  else objectListPatch(place, lists, mergeKey);
}

function scalarListPatch({ patch, name }: Place, { value, live, before }: Lists): void {
  const wanted = new Set(value);
  const present = new Set(live);
  const added = value.filter((item) => !present.has(item));
  const deleted = before.filter((item) => !wanted.has(item) && present.has(item));
  if (added.length === 0 && deleted.length === 0) return;
  if (added.length > 0) patch[name] = added;
  if (deleted.length > 0) patch[`${DELETE_VALUES}${name}`] = deleted;
  patch[`${ORDER}${name}`] = value;
}

function objectListPatch({ patch, name, rules }: Place, { value, live, before }: Lists, mergeKey: string): void {
  const wanted = byKey(value, mergeKey);
  const present = byKey(live, mergeKey);
  if (wanted === undefined || present === undefined) {
    // Items without the key, or with equal keys, cannot be merged one by one.
    if (!sameJson(value, live)) patch[name] = [...value, { [PATCH]: "replace" }];
    return;
  }
  const originals = byKey(before, mergeKey) ?? new Map<JsonValue, JsonObject>();
  const itemRules = { ...rulesOfItems(rules), retainsKeys: rules.retainsKeys };
  const items: JsonArray = [];
  for (const [key, item] of wanted) {
    const found = present.get(key);
    if (found === undefined) items.push(item);
    else {
      const inner = objectPatch(itemRules, { original: originals.get(key) ?? {}, modified: item, current: found });
      if (Object.keys(inner).length > 0) items.push({ ...inner, [mergeKey]: key });
    }
  }
  for (const key of originals.keys()) {
    if (!wanted.has(key) && present.has(key)) items.push({ [PATCH]: "delete", [mergeKey]: key });
  }
  if (items.length === 0) return;
  patch[name] = items;
  patch[`${ORDER}${name}`] = [...wanted.keys()].map((key) => ({ [mergeKey]: key }));
}

/** Returns the items by their keys; undefined when an item has none, or two have the same. */
function byKey(list: JsonArray, mergeKey: string): Map<JsonValue, JsonObject> | undefined {
  const found = new Map<JsonValue, JsonObject>();
  for (const item of list) {
    if (!isObject(item)) return undefined;
    const key = item[mergeKey];
    if (key === undefined || key === null || found.has(key)) return undefined;
    found.set(key, item);
  }
  return found;
}
