// Takes out of an object what a manager no longer applies. Source: facts, ssa.md "Apply(live, config, …)", step 3.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { type FieldSet, isMember } from "./field-set";
import { itemElement, type KeyedList } from "./list-item";
import {
  type ItemsShape,
  isDeclared,
  type MergeShape,
  memberShape,
  type ObjectShape,
  type StructShape,
} from "./merge-shape";
import { fieldName } from "./path-element";

export interface PruneSets {
  /** What to take out. */
  readonly last: FieldSet;
  /** What stays, since somebody owns it. */
  readonly keep: FieldSet | undefined;
  /** The part of `keep` that the applier holds now. */
  readonly held: FieldSet | undefined;
}

/**
 * Removes every value at a path of `last` that `keep` does not hold. The key of a map and the item of a list are held only when they are
 * members of `keep` themselves: what others own inside goes with them. A struct goes as a whole, with the defaults inside, when `keep`
 * holds nothing of it, or when nothing is left in it that was not given empty. The metadata never do: their names are nobody's.
 * @returns a new object, or `object` itself when nothing goes
 */
export function pruneObject(shape: StructShape, object: JsonObject, sets: PruneSets): JsonObject {
  return pruneMembers(shape, object, sets, "metadata");
}

/** entry: the key of a map, the item of a list. field: of a struct. */
type Place = "entry" | "field";

/** @returns undefined when nothing is left of the value */
function pruneNode(shape: MergeShape, value: JsonValue, sets: PruneSets, place: Place): JsonValue | undefined {
  if (shape.kind === "untracked") return value;
  const isEntry = place === "entry";
  if (isEntry ? losesEntry(sets) : losesField(shape, sets)) return undefined;
  const pruned = pruneInside(shape, value, sets);
  const mayBeEmpty = holds(isEntry ? sets.keep : sets.held);
  return pruned === value || mayBeEmpty || !isEmpty(pruned) ? pruned : undefined;
}

const losesEntry = ({ last, keep }: PruneSets): boolean => isMember(last) && !holds(keep);

const losesField = ({ kind }: MergeShape, { last, keep }: PruneSets): boolean =>
  keep === undefined && (kind === "struct" || isMember(last));

const holds = (set: FieldSet | undefined): boolean => set !== undefined && isMember(set);

function pruneInside(shape: MergeShape, value: JsonValue, sets: PruneSets): JsonValue {
  switch (shape.kind) {
    case "leaf":
    case "untracked":
      return value;
    case "struct":
    case "map":
    case "deduced":
      return isObject(value) ? pruneMembers(shape, value, sets) : value;
    case "set":
    case "items":
      return Array.isArray(value) ? pruneItems(shape, value, sets) : value;
  }
}

function pruneMembers(
  shape: ObjectShape,
  object: JsonObject,
  { last, keep, held }: PruneSets,
  /** The field that stays, even when nothing is left in it. */
  staying?: string,
): JsonObject {
  let result: JsonObject | undefined;
  for (const element in last) {
    const name = fieldName(element);
    if (name === undefined || !Object.hasOwn(object, name)) continue;
    const member = memberShape(shape, name);
    if (member === undefined) continue;
    const value = object[name] as JsonValue;
    const inside: PruneSets = { last: last[element] as FieldSet, keep: keep?.[element], held: held?.[element] };
    const pruned =
      name === staying
        ? pruneInside(member, value, inside)
        : pruneNode(member, value, inside, isDeclared(shape, name) ? "field" : "entry");
    if (pruned === value) continue;
    result ??= { ...object };
    if (pruned === undefined) delete result[name];
    else setMember(result, name, pruned);
  }
  return result ?? object;
}

function pruneItems(shape: KeyedList, items: JsonArray, { last, keep, held }: PruneSets): JsonArray {
  const itemShape: MergeShape = shape.kind === "items" ? shape.item : { kind: "leaf" };
  let changed = false;
  const result: JsonArray = [];
  for (const item of items) {
    const element = itemElement(shape, item);
    const gone = last[element];
    const inside = gone && { last: gone, keep: keep?.[element], held: held?.[element] };
    const pruned = inside === undefined ? item : pruneNode(itemShape, item, inside, "entry");
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

const isEmpty = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
