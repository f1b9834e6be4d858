// Computes the paths that a change wrote and removed. Same semantics as `Compare` in sigs.k8s.io/structured-merge-diff,
// typed/typed.go.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { sameJson } from "../json/same-json";
import { asMember, belowOnly, type FieldSet, LEAF } from "./field-set";
import { GrowingSet } from "./growing-set";
import { itemElement, itemsByElement, type KeyedList, sameItems } from "./list-item";
import { type MergeShape, memberElement, memberShape, type ObjectShape, type StructShape } from "./merge-shape";
import { everyPath } from "./value-paths";

export interface Difference {
  /** Paths that were added or whose value changed. */
  readonly written: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

/**
 * Compares two objects.
 * @param shape shape of the whole object
 * @returns undefined when no value differs; the order of set and keyed list items is ignored
 */
export function compareObjects(shape: StructShape, old: JsonObject, next: JsonObject): Difference | undefined {
  return compareMembers(shape, old, next);
}

function compareNodes(shape: MergeShape, old: JsonValue, next: JsonValue): Difference | undefined {
  if (old === next) return undefined;
  switch (shape.kind) {
    case "untracked":
      return undefined;
    case "leaf":
      return sameJson(old, next) ? undefined : WRITTEN;
    case "struct":
    case "map":
    case "deduced":
      return compareAsObjects(shape, old, next);
    case "set":
    case "items":
      return compareAsLists(shape, old, next);
  }
}

const WRITTEN: Difference = { written: LEAF, removed: undefined };

/** Compares null as an empty object, but reports a change between null and an empty object as written. */
function compareAsObjects(shape: ObjectShape, old: JsonValue, next: JsonValue): Difference | undefined {
  if (!isObject(old) || !isObject(next)) {
    const areBoth = (isObject(old) || old === null) && (isObject(next) || next === null);
    if (!areBoth) return sameJson(old, next) ? undefined : replaced(shape, old, next);
    if (isEmptyObject(old) && isEmptyObject(next)) return WRITTEN;
  }
  return compareMembers(shape, isObject(old) ? old : {}, isObject(next) ? next : {});
}

function compareMembers(owner: ObjectShape, old: JsonObject, next: JsonObject): Difference | undefined {
  let found: Found | undefined;
  for (const name in next) {
    const before = memberOf(old, name);
    const after = next[name] as JsonValue;
    if (before === after) continue;
    const shape = memberShape(owner, name);
    if (shape === undefined || shape.kind === "untracked") continue;
    const difference = before === undefined ? added(shape, after) : compareNodes(shape, before, after);
    if (difference !== undefined) found = noted(found, memberElement(owner, name), difference);
  }
  for (const name in old) {
    if (Object.hasOwn(next, name)) continue;
    const shape = memberShape(owner, name);
    if (shape === undefined || shape.kind === "untracked") continue;
    found = noted(found, memberElement(owner, name), removed(shape, old[name] as JsonValue));
  }
  return found === undefined ? undefined : settled(found);
}

function compareAsLists(shape: KeyedList, old: JsonValue, next: JsonValue): Difference | undefined {
  const areBoth = (Array.isArray(old) || old === null) && (Array.isArray(next) || next === null);
  if (!areBoth) return sameJson(old, next) ? undefined : replaced(shape, old, next);
  const [before, after] = [old ?? [], next ?? []];
  if (before.length === 0 && after.length === 0) return old === null || next === null ? WRITTEN : undefined;
  return sameItems(shape, before, after)
    ? compareInPlace(shape, before, after)
    : compareByElement(shape, before, after);
}

function compareInPlace(shape: KeyedList, old: JsonArray, next: JsonArray): Difference | undefined {
  if (shape.kind === "set") return undefined;
  let found: Found | undefined;
  for (let index = 0; index < next.length; index++) {
    const item = next[index] as JsonValue;
    const difference = compareNodes(shape.item, old[index] as JsonValue, item);
    if (difference !== undefined) found = noted(found, itemElement(shape, item), difference);
  }
  return found === undefined ? undefined : settled(found);
}

function compareByElement(shape: KeyedList, old: JsonArray, next: JsonArray): Difference | undefined {
  const itemShape: MergeShape = shape.kind === "set" ? { kind: "leaf" } : shape.item;
  const [before, after] = [itemsByElement(shape, old), itemsByElement(shape, next)];
  let found: Found | undefined;
  for (const [element, items] of after) {
    const olds = before.get(element);
    const difference =
      olds === undefined ? added(itemShape, items[0] as JsonValue) : compareGroups(itemShape, olds, items);
    if (difference !== undefined) found = noted(found, element, difference);
  }
  for (const [element, items] of before) {
    if (!after.has(element)) found = noted(found, element, removed(itemShape, items[0] as JsonValue));
  }
  return found === undefined ? undefined : settled(found);
}

function compareGroups(shape: MergeShape, old: JsonArray, next: JsonArray): Difference | undefined {
  if (old.length === 1 && next.length === 1) return compareNodes(shape, old[0] as JsonValue, next[0] as JsonValue);
  return sameJson(old, next) ? undefined : WRITTEN;
}

const added = (shape: MergeShape, value: JsonValue): Difference => ({
  written: everyPath(shape, value),
  removed: undefined,
});

const removed = (shape: MergeShape, value: JsonValue): Difference => ({
  written: undefined,
  removed: everyPath(shape, value),
});

/** Handles a value replaced by a value of another kind. */
function replaced(shape: MergeShape, old: JsonValue, next: JsonValue): Difference {
  return { written: asMember(everyPath(shape, next)), removed: belowOnly(everyPath(shape, old) ?? LEAF) };
}

interface Found {
  written: GrowingSet | undefined;
  removed: GrowingSet | undefined;
}

function noted(found: Found | undefined, element: string, { written, removed }: Difference): Found {
  const result = found ?? { written: undefined, removed: undefined };
  if (written !== undefined) {
    result.written ??= new GrowingSet(false);
    result.written.add(element, written);
  }
  if (removed !== undefined) {
    result.removed ??= new GrowingSet(false);
    result.removed.add(element, removed);
  }
  return result;
}

function settled({ written, removed }: Found): Difference | undefined {
  if (written === undefined && removed === undefined) return undefined;
  return { written: written?.finish(), removed: removed?.finish() };
}

function isEmptyObject(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
