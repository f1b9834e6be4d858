// The paths of a value. Source: facts, ssa.md "Core set algebra".
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { type FieldSet, LEAF, MEMBER } from "./field-set";
import { GrowingSet } from "./growing-set";
import { itemElement, type KeyedList } from "./list-item";
import {
  isDeclared,
  type MemberShape,
  type MergeShape,
  memberShape,
  membersInOrder,
  type ObjectShape,
} from "./merge-shape";
import { fieldElement } from "./path-element";

/**
 * What a manager owns who applies the value: scalars, structures that are replaced as a whole, keys of maps, items of lists, and
 * structs that are given empty; not the structs and lists that only lead there.
 * @returns undefined for nothing
 */
export function appliedPaths(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return new PathWalk("applied").paths(shape, value, false);
}

/**
 * What its applier holds on to of what it owns: not the fields of structs that are given as null, where null is no value.
 * @param applied the applied paths of the value; the answer, where nothing is null
 */
export function heldPaths(shape: MergeShape, value: JsonValue, applied: FieldSet | undefined): FieldSet | undefined {
  return holdsNull(value) ? new PathWalk("held").paths(shape, value, false) : applied;
}

export function holdsNull(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  if (Array.isArray(value)) return value.some(holdsNull);
  for (const name in value) if (holdsNull(value[name] as JsonValue)) return true;
  return false;
}

/** What comes into being with the value, or goes with it: every path, those that only lead to others included. */
export function everyPath(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return shape.kind === "untracked" ? undefined : new PathWalk("every").paths(shape, value, true);
}

class PathWalk {
  constructor(private readonly extent: "applied" | "held" | "every") {}

  /** The paths inside the value and, where `itself` says so, its own; undefined for none. */
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
        if (this.holds(member, given)) this.add(found, member.element, false, member.shape, given);
      }
      return finished(found.finish(true), itself);
    }
    for (const name in value) {
      const member = memberShape(shape, name);
      const given = value[name] as JsonValue;
      const declared = shape.kind === "struct" ? shape.members.get(name) : undefined;
      if (member === undefined || !this.holds(declared, given)) continue;
      this.add(found, fieldElement(name), !isDeclared(shape, name), member, given);
    }
    return finished(found.finish(), itself);
  }

  /** @param member undefined for an entry, which is there whatever it holds */
  private holds(member: MemberShape | undefined, value: JsonValue): boolean {
    return value !== null || this.extent !== "held" || member === undefined || member.nulls !== "absent";
  }

  /** @param isEntry somebody put the member there, so that it is owned itself: the key of a map, not a field of a struct */
  private add(found: GrowingSet, element: string, isEntry: boolean, shape: MergeShape, value: JsonValue): void {
    if (shape.kind === "untracked") return;
    const isOwned = this.extent === "every" || isEntry;
    const paths = this.paths(shape, value, isOwned) ?? (saysSomething(shape, value) ? LEAF : undefined);
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

/** A node without children is a leaf, or nothing. */
function finished(node: FieldSet, itself: boolean): FieldSet | undefined {
  for (const element in node) if (element !== MEMBER) return node;
  return itself ? LEAF : undefined;
}

/** Whether a value without paths inside says something: not a list that is given empty, nor metadata that nobody owns anything of. */
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
