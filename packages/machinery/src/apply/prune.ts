// Takes out of an object what a manager no longer applies. Source: facts, ssa.md "Apply(live, config, …)", step 3.
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { type FieldSet, isMember } from "./field-set";
import { itemElement, type KeyedList } from "./list-item";
import { DEDUCED, type ItemsShape, type MergeShape, memberShape, type StructShape } from "./merge-shape";
import { fieldName } from "./path-element";

/** `last`: what to take out. `keep`: what stays, since somebody owns it. */
export interface PruneSets {
  readonly last: FieldSet;
  readonly keep: FieldSet | undefined;
}

/**
 * Removes every value at a path of `last` that `keep` does not hold. A key of a map, an item of a list and a struct go as a whole, with
 * the defaults inside, when `keep` holds nothing of them; otherwise just the values do that only `last` holds. The fields of the root,
 * such as `spec`, are never taken for parts of what was applied: of these too only the values go.
 * @returns a new object, or `object` itself when nothing goes
 */
export function pruneObject(shape: StructShape, object: JsonObject, sets: PruneSets): JsonObject {
  return pruneMembers(
    (name) => memberShape(shape, name),
    object,
    sets,
    () => false,
  );
}

/** @returns undefined when nothing is left of the value */
function pruneNode(
  shape: MergeShape,
  value: JsonValue,
  { last, keep }: PruneSets,
  goesAsWhole: boolean,
): JsonValue | undefined {
  if (shape.kind === "untracked") return value;
  if (keep === undefined && (isMember(last) || goesAsWhole)) return undefined;
  const pruned = pruneInside(shape, value, { last, keep });
  if (pruned === value || !isEmpty(pruned)) return pruned;
  return keep !== undefined && isMember(keep) ? pruned : undefined;
}

function pruneInside(shape: MergeShape, value: JsonValue, sets: PruneSets): JsonValue {
  switch (shape.kind) {
    case "leaf":
    case "untracked":
      return value;
    case "struct":
      if (!isObject(value)) return value;
      return pruneMembers(
        (name) => memberShape(shape, name),
        value,
        sets,
        (member) => member.kind === "struct",
      );
    case "map":
      return isObject(value)
        ? pruneMembers(
            () => shape.value,
            value,
            sets,
            () => false,
          )
        : value;
    case "deduced":
      return isObject(value)
        ? pruneMembers(
            () => DEDUCED,
            value,
            sets,
            () => false,
          )
        : value;
    case "set":
    case "items":
      return Array.isArray(value) ? pruneItems(shape, value, sets) : value;
  }
}

function pruneMembers(
  shapeOf: (name: string) => MergeShape | undefined,
  object: JsonObject,
  { last, keep }: PruneSets,
  goesAsWhole: (shape: MergeShape) => boolean,
): JsonObject {
  let result: JsonObject | undefined;
  for (const element in last) {
    const name = fieldName(element);
    if (name === undefined || !Object.hasOwn(object, name)) continue;
    const shape = shapeOf(name);
    if (shape === undefined) continue;
    const value = object[name] as JsonValue;
    const sets = { last: last[element] as FieldSet, keep: keep?.[element] };
    const pruned = pruneNode(shape, value, sets, goesAsWhole(shape));
    if (pruned === value) continue;
    result ??= { ...object };
    if (pruned === undefined) delete result[name];
    else result[name] = pruned;
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
    const pruned = gone === undefined ? item : pruneNode(itemShape, item, { last: gone, keep: keep?.[element] }, false);
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
    const value = names.has(name) ? item[name] : pruned[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}

const isEmpty = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
