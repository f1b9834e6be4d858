// Removes from an object the fields that a manager no longer applies. Source: `prune` in
// sigs.k8s.io/structured-merge-diff, merge/update.go.
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
  /** Fields to remove. */
  readonly last: FieldSet;
  /** Fields to keep, because a manager owns them. */
  readonly keep: FieldSet | undefined;
  /** The part of `keep` that the applier holds now. */
  readonly held: FieldSet | undefined;
}

/**
 * Removes every value at a path of `last` that `keep` does not hold. A map key or a list item is held only when it is a
 * member of `keep` itself: fields inside it that others own are removed with it. A struct is removed as a whole,
 * including its defaults, when `keep` holds nothing of it, or when pruning leaves it empty and the applier does not
 * hold it as such. `metadata` is never removed, because the object's names have no owner.
 * @returns a new object, or `object` itself when nothing is removed
 */
export function pruneObject(shape: StructShape, object: JsonObject, sets: PruneSets): JsonObject {
  return pruneMembers(shape, object, sets, "metadata");
}

/** entry: a map key or a list item. field: a field of a struct. */
type Place = "entry" | "field";

/**
 * Prunes a value.
 * @returns undefined when nothing is left of the value
 */
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
  /** Name of a field that stays even when it becomes empty. */
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

/** Restores the keys of an item that stays. */
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
