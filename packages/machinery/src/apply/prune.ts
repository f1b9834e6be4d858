// Takes out of an object what a manager no longer applies. Source: facts, ssa.md "Apply(live, config, …)", step 3.
import { type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { type FieldSet, isMember } from "./field-set";
import { itemElement, type KeyedList } from "./list-item";
import { type ItemsShape, type MergeShape, memberShape, type ObjectShape, type StructShape } from "./merge-shape";
import { fieldName } from "./path-element";

/** `last`: what to take out. `keep`: what stays, since somebody owns it. */
export interface PruneSets {
  readonly last: FieldSet;
  readonly keep: FieldSet | undefined;
}

/**
 * Removes every value at a path of `last` that `keep` does not hold. A key of a map, an item of a list and a struct go as a whole, with
 * the defaults inside, when `keep` holds nothing of them; otherwise just the values do that only `last` holds. Objects at the root,
 * such as `spec`, never go as a whole: much in them was never applied by anybody.
 * @returns a new object, or `object` itself when nothing goes
 */
export function pruneObject(shape: StructShape, object: JsonObject, sets: PruneSets): JsonObject {
  return pruneMembers(shape, object, sets, (member) => (isObjectShape(member) ? "root" : "element"));
}

/** element: goes when it was applied itself. part: goes with the last that was applied inside. root: stays, even when empty. */
type Place = "element" | "part" | "root";

const elements = (): Place => "element";
const parts = (member: MergeShape): Place => (member.kind === "struct" ? "part" : "element");

/** @returns undefined when nothing is left of the value */
function pruneNode(shape: MergeShape, value: JsonValue, sets: PruneSets, place: Place): JsonValue | undefined {
  const { last, keep } = sets;
  if (shape.kind === "untracked") return value;
  if (keep === undefined && place !== "root" && (place === "part" || isMember(last))) return undefined;
  const pruned = pruneInside(shape, value, sets);
  if (pruned === value || place === "root" || !isEmpty(pruned)) return pruned;
  return keep !== undefined && isMember(keep) ? pruned : undefined;
}

function pruneInside(shape: MergeShape, value: JsonValue, sets: PruneSets): JsonValue {
  switch (shape.kind) {
    case "leaf":
    case "untracked":
      return value;
    case "struct":
      return isObject(value) ? pruneMembers(shape, value, sets, parts) : value;
    case "map":
    case "deduced":
      return isObject(value) ? pruneMembers(shape, value, sets, elements) : value;
    case "set":
    case "items":
      return Array.isArray(value) ? pruneItems(shape, value, sets) : value;
  }
}

function pruneMembers(
  shape: ObjectShape,
  object: JsonObject,
  { last, keep }: PruneSets,
  placeOf: (member: MergeShape) => Place,
): JsonObject {
  let result: JsonObject | undefined;
  for (const element in last) {
    const name = fieldName(element);
    if (name === undefined || !Object.hasOwn(object, name)) continue;
    const member = memberShape(shape, name);
    if (member === undefined) continue;
    const value = object[name] as JsonValue;
    const pruned = pruneNode(
      member,
      value,
      { last: last[element] as FieldSet, keep: keep?.[element] },
      placeOf(member),
    );
    if (pruned === value) continue;
    result ??= { ...object };
    if (pruned === undefined) delete result[name];
    else setMember(result, name, pruned);
  }
  return result ?? object;
}

function pruneItems(shape: KeyedList, items: JsonArray, { last, keep }: PruneSets): JsonArray {
  const itemShape: MergeShape = shape.kind === "items" ? shape.item : { kind: "leaf" };
  let changed = false;
  const result: JsonArray = [];
  for (const item of items) {
    const element = itemElement(shape, item);
    const gone = last[element];
    const pruned =
      gone === undefined ? item : pruneNode(itemShape, item, { last: gone, keep: keep?.[element] }, "element");
    changed ||= pruned !== item;
    if (pruned !== undefined) result.push(shape.kind === "items" ? withKeys(shape, pruned, item) : pruned);
  }
  return changed ? result : items;
}

/** An item that stays keeps what it is known by. */
function withKeys(shape: ItemsShape, pruned: JsonValue, item: JsonValue): JsonValue {
  if (pruned === item || !isObject(pruned) || !isObject(item)) return pruned;
  const result: JsonObject = {};
  const names = new Set(shape.keys.map((key) => key.name));
  for (const name of Object.keys(item)) {
    const value = names.has(name) ? item[name] : memberOf(pruned, name);
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
}

const isObjectShape = ({ kind }: MergeShape): boolean => kind === "struct" || kind === "map" || kind === "deduced";

const isEmpty = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
