// Lays what a manager applies over the live object. Source: facts, ssa.md "Apply(live, config, …)", step 1.
import { type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { itemElement, itemsByElement, type KeyedList } from "./list-item";
import { countsAsAbsent, type MergeShape, memberShape, type ObjectShape, type StructShape } from "./merge-shape";

/**
 * @param shape of the whole object
 * @returns a new object; parts that stay are those of `live`
 */
export function mergeObjects(shape: StructShape, live: JsonObject, applied: JsonObject): JsonObject {
  return mergeMembers(shape, live, applied);
}

function mergeNodes(shape: MergeShape, live: JsonValue | undefined, applied: JsonValue): JsonValue {
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
      return isObject(applied) ? mergeMembers(shape, live, applied) : applied;
    case "deduced":
      return isObject(live) && isObject(applied) ? mergeMembers(shape, live, applied) : applied;
    case "set":
    case "items":
      if (!Array.isArray(live)) return applied;
      if (applied === null) return live.length === 0 ? applied : live;
      return Array.isArray(applied) ? mergeItems(shape, live, applied) : applied;
  }
}

function mergeMembers(shape: ObjectShape, live: JsonObject, applied: JsonObject): JsonObject {
  const result = { ...live };
  for (const name of Object.keys(applied)) {
    const [before, value] = [memberOf(live, name), applied[name] as JsonValue];
    if ((before === undefined || before === null) && countsAsAbsent(shape, name, value)) continue;
    const member = memberShape(shape, name);
    if (member !== undefined) setMember(result, name, mergeNodes(member, before, value));
  }
  return result;
}

/** Live items in their order, then those that are new, in theirs. What the live list has twice is there once when it is applied. */
function mergeItems(shape: KeyedList, live: JsonArray, applied: JsonArray): JsonArray {
  const wanted = itemsByElement(shape, applied);
  const placed = new Set<string>();
  const result: JsonArray = [];
  for (const item of live) {
    const element = itemElement(shape, item);
    const [given] = wanted.get(element) ?? [];
    if (given === undefined) result.push(item);
    else if (!placed.has(element)) result.push(shape.kind === "items" ? mergeNodes(shape.item, item, given) : item);
    placed.add(element);
  }
  for (const [element, [item]] of wanted) if (item !== undefined && !placed.has(element)) result.push(item);
  return result;
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
