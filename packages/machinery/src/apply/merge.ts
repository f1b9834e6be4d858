// Merges an applied configuration into the live object. Source: `Apply` in sigs.k8s.io/structured-merge-diff,
// merge/update.go.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { itemElement, type KeyedList, sameItems } from "./list-item";
import {
  countsAsAbsent,
  type MergeShape,
  memberShape,
  nullMeaning,
  type ObjectShape,
  type StructShape,
} from "./merge-shape";

/**
 * Position of new list items. applied: in the manager's order, among the existing items. live: after the existing
 * items, which keep their order, as in releases before 1.23.
 */
export type ItemOrder = "applied" | "live";

/**
 * Merges an applied configuration into the live object.
 * @param shape shape of the whole object
 * @returns a new object; unchanged parts are shared with `live`
 */
export function mergeObjects(
  shape: StructShape,
  live: JsonObject,
  applied: JsonObject,
  order: ItemOrder = "applied",
): JsonObject {
  return mergeMembers(shape, live, applied, order);
}

function mergeNodes(shape: MergeShape, live: JsonValue | undefined, applied: JsonValue, order: ItemOrder): JsonValue {
  if (live === undefined) return applied;
  switch (shape.kind) {
    case "leaf":
      return applied;
    case "untracked":
      return live;
    case "struct":
    case "map":
      if (!isObject(live)) return applied;
      if (applied === null) return isEmpty(live) ? applied : live;
      return isObject(applied) ? mergeMembers(shape, live, applied, order) : applied;
    case "deduced":
      return isObject(live) && isObject(applied) ? mergeMembers(shape, live, applied, order) : applied;
    case "set":
    case "items":
      if (!Array.isArray(live)) return applied;
      if (applied === null) return live.length === 0 ? applied : live;
      return Array.isArray(applied) ? mergeItems(shape, live, applied, order) : applied;
  }
}

function mergeMembers(shape: ObjectShape, live: JsonObject, applied: JsonObject, order: ItemOrder): JsonObject {
  const result = { ...live };
  for (const name of Object.keys(applied)) {
    const [before, value] = [memberOf(live, name), applied[name] as JsonValue];
    if ((before === undefined || before === null) && countsAsAbsent(shape, name, value)) continue;
    const member = memberShape(shape, name);
    if (member === undefined || (value === null && outlivesNull(shape, name, before))) continue;
    setMember(result, name, mergeNodes(member, before, value, order));
  }
  return result;
}

/**
 * Reports whether null does not yet replace a declared object without a schema, because other managers may own its
 * members. See applied-nulls.ts.
 */
const outlivesNull = (shape: ObjectShape, name: string, live: JsonValue | undefined): boolean =>
  shape.kind === "struct" &&
  shape.members.get(name)?.shape.kind === "deduced" &&
  nullMeaning(shape, name) !== "absent" &&
  isObject(live) &&
  !isEmpty(live);

/** Merges lists by element. Duplicates in the live list are reduced to one item when that item is applied. */
function mergeItems(shape: KeyedList, live: JsonArray, applied: JsonArray, order: ItemOrder): JsonArray {
  if (sameItems(shape, live, applied)) return mergeInPlace(shape, live, applied, order);
  /** The applied items in their order, merged with the live items of the same element. */
  const merged = new Map<string, JsonValue>();
  for (const item of applied) merged.set(itemElement(shape, item), item);
  const shared = new Set<string>();
  const present: Present = { items: [], elements: [] };
  for (const item of live) {
    const element = itemElement(shape, item);
    const given = merged.get(element);
    if (given !== undefined && shared.has(element)) continue;
    present.items.push(item);
    present.elements.push(element);
    if (given === undefined) continue;
    shared.add(element);
    if (shape.kind === "items") merged.set(element, mergeNodes(shape.item, item, given, order));
  }
  return order === "live" ? inLiveOrder(present, merged) : inAppliedOrder(present, merged, shared);
}

function mergeInPlace(shape: KeyedList, live: JsonArray, applied: JsonArray, order: ItemOrder): JsonArray {
  if (shape.kind === "set") return live;
  return live.map((item, index) => mergeNodes(shape.item, item, applied[index] as JsonValue, order));
}

/** The live items and, at the same index, their path elements. */
interface Present {
  readonly items: JsonArray;
  readonly elements: string[];
}

function inLiveOrder({ items, elements }: Present, merged: Map<string, JsonValue>): JsonArray {
  const result: JsonArray = [];
  for (const [index, element] of elements.entries()) {
    result.push(merged.get(element) ?? (items[index] as JsonValue));
    merged.delete(element);
  }
  for (const item of merged.values()) result.push(item);
  return result;
}

/**
 * Returns the applied items in their order. Each other item is placed before the applied item that follows it in the
 * live list.
 * @param shared elements of the applied items that are in the live list
 */
function inAppliedOrder(
  { items, elements }: Present,
  merged: ReadonlyMap<string, JsonValue>,
  shared: ReadonlySet<string>,
): JsonArray {
  const result: JsonArray = [];
  let at = 0;
  const takeOthersUpTo = (element: string | undefined): void => {
    for (; at < items.length; at++) {
      const here = elements[at] as string;
      if (here === element) return;
      if (!shared.has(here)) result.push(items[at] as JsonValue);
    }
  };
  const awaited = [...merged.keys()].filter((element) => shared.has(element));
  let next = 0;
  for (const [element, item] of merged) {
    takeOthersUpTo(awaited[next]);
    result.push(item);
    if (element !== awaited[next]) continue;
    next++;
    at++;
  }
  takeOthersUpTo(undefined);
  return result;
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;
