// Computes the field paths of a value. Source: sigs.k8s.io/structured-merge-diff, typed/tofieldset.go.
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { type FieldSet, LEAF, MEMBER } from "./field-set";
import { GrowingSet } from "./growing-set";
import { itemElement, type KeyedList } from "./list-item";
import { type MemberShape, type MergeShape, memberShape, membersInOrder, type ObjectShape } from "./merge-shape";
import { fieldElement } from "./path-element";

/**
 * Returns the paths that a manager owns by applying the value: scalars, atomic structures, map keys, list items, and
 * structs that are given empty. Structs and lists that only contain such paths are not included.
 * @returns undefined when there are none
 */
export function appliedPaths(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return new PathWalk("applied").paths(shape, value, false);
}

/**
 * Returns the paths that protect values from pruning: the owned ones, and empty lists, which have no owner. Fields of
 * structs that are given as null, where null is not a value, and empty lists that count as absent are excluded.
 * @param applied the applied paths of the value; returned when the value contains neither null nor an empty list
 */
export function heldPaths(shape: MergeShape, value: JsonValue, applied: FieldSet | undefined): FieldSet | undefined {
  return holdsNullOrEmptyList(value) ? new PathWalk("held").paths(shape, value, false) : applied;
}

export function holdsNull(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  if (Array.isArray(value)) return value.some(holdsNull);
  for (const name in value) if (holdsNull(value[name] as JsonValue)) return true;
  return false;
}

function holdsNullOrEmptyList(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  if (Array.isArray(value)) return value.length === 0 || value.some(holdsNullOrEmptyList);
  for (const name in value) if (holdsNullOrEmptyList(value[name] as JsonValue)) return true;
  return false;
}

/** Returns every path that is added or removed with the value, including paths that only lead to others. */
export function everyPath(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return shape.kind === "untracked" ? undefined : new PathWalk("every").paths(shape, value, true);
}

class PathWalk {
  constructor(private readonly extent: "applied" | "held" | "every") {}

  /** Returns the paths inside the value and, when `itself` is true, the value's own; undefined when there are none. */
  paths(shape: MergeShape, value: JsonValue, itself: boolean): FieldSet | undefined {
    switch (shape.kind) {
      case "leaf":
      case "untracked":
        break;
      case "struct":
      case "map":
      case "deduced":
        if (isObject(value)) return this.members(shape, value, itself);
        break;
      case "set":
      case "items":
        if (Array.isArray(value)) return this.items(shape, value, itself);
        break;
    }
    return itself ? LEAF : undefined;
  }

  private members(shape: ObjectShape, value: JsonObject, itself: boolean): FieldSet | undefined {
    const found = new GrowingSet(itself);
    if (shape.kind === "struct" && shape.others === undefined) {
      for (const member of membersInOrder(shape, value)) {
        const given = value[member.name] as JsonValue;
        if (this.holds(member, given)) this.add(found, member.element, member, member.shape, given);
      }
      return finished(found.finish(true), itself);
    }
    for (const name in value) {
      const member = memberShape(shape, name);
      const given = value[name] as JsonValue;
      const declared = shape.kind === "struct" ? shape.members.get(name) : undefined;
      if (member === undefined || !this.holds(declared, given)) continue;
      this.add(found, fieldElement(name), declared, member, given);
    }
    return finished(found.finish(), itself);
  }

  /**
   * Reports whether a member is part of the set.
   * @param member undefined for an entry, which is included whatever its value
   */
  private holds(member: MemberShape | undefined, value: JsonValue): boolean {
    return value !== null || this.extent !== "held" || member === undefined || member.nulls !== "absent";
  }

  /**
   * Adds the paths of a member.
   * @param member the field of a struct; undefined for an entry such as a map key, which is owned itself
   */
  private add(
    found: GrowingSet,
    element: string,
    member: MemberShape | undefined,
    shape: MergeShape,
    value: JsonValue,
  ): void {
    if (shape.kind === "untracked") return;
    const isOwned = this.extent === "every" || member === undefined;
    const isHeld = this.extent === "held" && member?.dropsEmpty === false && isEmptyList(value);
    const paths = this.paths(shape, value, isOwned) ?? (isHeld || saysSomething(shape, value) ? LEAF : undefined);
    if (paths !== undefined) found.add(element, paths);
  }

  private items(shape: KeyedList, items: JsonArray, itself: boolean): FieldSet | undefined {
    const found = new GrowingSet(itself);
    for (const item of items) {
      const paths = (shape.kind === "items" ? this.paths(shape.item, item, true) : undefined) ?? LEAF;
      found.add(itemElement(shape, item), paths);
    }
    return finished(found.finish(), itself);
  }
}

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;

/** Returns the node. A node without children is a leaf when `itself` is true, otherwise undefined. */
function finished(node: FieldSet, itself: boolean): FieldSet | undefined {
  for (const element in node) if (element !== MEMBER) return node;
  return itself ? LEAF : undefined;
}

/**
 * Reports whether a value without inner paths is owned itself. Empty lists and metadata with only untracked fields are
 * not.
 */
function saysSomething(shape: MergeShape, value: JsonValue): boolean {
  switch (shape.kind) {
    case "set":
    case "items":
      return value === null;
    case "struct":
      return value === null || Object.keys(value).length === 0;
    default:
      return true;
  }
}
