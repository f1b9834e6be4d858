// Lays what a manager applies over the live object. Source: facts, ssa.md "Apply(live, config, …)", step 1.
import { type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { itemElement, itemsByElement, type KeyedList, sameItems } from "./list-item";
import { countsAsAbsent, type MergeShape, memberShape, type ObjectShape, type StructShape } from "./merge-shape";

/**
 * Where new items of a list stand. applied: where the manager has them, among those that are there. live: behind those, which keep their
 * order whatever the manager's, as in releases before 1.23.
 */
export type ItemOrder = "applied" | "live";

/**
 * @param shape of the whole object
 * @returns a new object; parts that stay are those of `live`
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
    if (member !== undefined) setMember(result, name, mergeNodes(member, before, value, order));
  }
  return result;
}

/** What the live list has twice is there once when it is applied. */
function mergeItems(shape: KeyedList, live: JsonArray, applied: JsonArray, order: ItemOrder): JsonArray {
  if (sameItems(shape, live, applied)) return mergeInPlace(shape, live, applied, order);
  const wanted = itemsByElement(shape, applied);
  const rest: LiveItem[] = [];
  /** Of the live items that are applied too, by their elements. */
  const shared = new Map<string, JsonValue>();
  for (const item of live) {
    const element = itemElement(shape, item);
    const isShared = wanted.has(element);
    if (isShared && shared.has(element)) continue;
    rest.push({ element, item, isShared });
    if (isShared) shared.set(element, item);
  }
  const merged = new Map<string, JsonValue>();
  for (const [element, [given]] of wanted) {
    const found = shared.get(element);
    const item = given as JsonValue;
    const isMerged = found !== undefined && shape.kind === "items";
    merged.set(element, isMerged ? mergeNodes(shape.item, found, item, order) : item);
  }
  return order === "live" ? inLiveOrder(rest, merged) : inAppliedOrder(rest, merged);
}

function mergeInPlace(shape: KeyedList, live: JsonArray, applied: JsonArray, order: ItemOrder): JsonArray {
  if (shape.kind === "set") return live;
  return live.map((item, index) => mergeNodes(shape.item, item, applied[index] as JsonValue, order));
}

interface LiveItem {
  readonly element: string;
  readonly item: JsonValue;
  readonly isShared: boolean;
}

function inLiveOrder(live: readonly LiveItem[], merged: Map<string, JsonValue>): JsonArray {
  const result: JsonArray = [];
  for (const { element, item } of live) {
    result.push(merged.get(element) ?? item);
    merged.delete(element);
  }
  return [...result, ...merged.values()];
}

/** The applied items in their order; the others before that one of the applied items that they have behind them in the live list. */
function inAppliedOrder(live: readonly LiveItem[], merged: ReadonlyMap<string, JsonValue>): JsonArray {
  const result: JsonArray = [];
  let at = 0;
  const takeOthersUpTo = (element: string | undefined): void => {
    for (; at < live.length; at++) {
      const { element: here, item, isShared } = live[at] as LiveItem;
      if (here === element) return;
      if (!isShared) result.push(item);
    }
  };
  const elements = [...merged.keys()];
  const next = nextShared(elements, live);
  for (const [index, element] of elements.entries()) {
    takeOthersUpTo(next[index]);
    result.push(merged.get(element) as JsonValue);
    if (element === next[index]) at++;
  }
  takeOthersUpTo(undefined);
  return result;
}

/** For each applied item, the first from there on that the live list has too. */
function nextShared(elements: readonly string[], live: readonly LiveItem[]): readonly (string | undefined)[] {
  const shared = new Set(live.filter(({ isShared }) => isShared).map(({ element }) => element));
  const next: (string | undefined)[] = [];
  for (let index = elements.length - 1; index >= 0; index--) {
    const element = elements[index] as string;
    next[index] = shared.has(element) ? element : next[index + 1];
  }
  return next;
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
