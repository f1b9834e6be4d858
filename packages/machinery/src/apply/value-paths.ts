// The paths of a value. Source: facts, ssa.md "Core set algebra".
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { asMember, type FieldSet, inOrder, isLeaf, LEAF, type MutableFieldSet, unionOfNodes } from "./field-set";
import { itemElement, type KeyedList } from "./list-item";
import { type MergeShape, memberShape, type ObjectShape } from "./merge-shape";
import { fieldElement } from "./path-element";

/**
 * What a manager owns who applies the value: scalars, structures that are replaced as a whole, keys of maps, items of lists, and
 * structs that are given empty; not the structs and lists that only lead there.
 * @returns undefined for nothing
 */
export function appliedPaths(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return new PathWalk("applied").below(shape, value);
}

/** What comes into being with the value, or goes with it: every path, those that only lead to others included. */
export function everyPath(shape: MergeShape, value: JsonValue): FieldSet | undefined {
  return shape.kind === "untracked" ? undefined : asMember(new PathWalk("every").below(shape, value));
}

class PathWalk {
  constructor(private readonly extent: "applied" | "every") {}

  /** The paths inside the value, without itself; undefined for none. */
  below(shape: MergeShape, value: JsonValue): FieldSet | undefined {
    switch (shape.kind) {
      case "leaf":
      case "untracked":
        return undefined;
      case "struct":
      case "map":
      case "deduced":
        return isObject(value) ? this.#members(shape, value) : undefined;
      case "set":
      case "items":
        return Array.isArray(value) ? this.#items(shape, value) : undefined;
    }
  }

  #members(shape: ObjectShape, value: JsonObject): FieldSet | undefined {
    const children: MutableFieldSet = {};
    for (const name in value) {
      const member = memberShape(shape, name);
      if (member === undefined || member.kind === "untracked") continue;
      const node = this.#member(shape.kind, member, value[name] as JsonValue);
      if (node !== undefined) children[fieldElement(name)] = node;
    }
    return isLeaf(children) ? undefined : inOrder(children);
  }

  #member(owner: ObjectShape["kind"], shape: MergeShape, value: JsonValue): FieldSet | undefined {
    const below = this.below(shape, value);
    if (this.extent === "every" || owner === "map") return asMember(below);
    return below ?? (isEntry(shape, value) ? LEAF : undefined);
  }

  #items(shape: KeyedList, items: JsonArray): FieldSet | undefined {
    const children: MutableFieldSet = {};
    for (const item of items) {
      const element = itemElement(shape, item);
      const node = asMember(shape.kind === "items" ? this.below(shape.item, item) : undefined);
      const known = children[element];
      children[element] = known === undefined ? node : unionOfNodes(known, node);
    }
    return isLeaf(children) ? undefined : inOrder(children);
  }
}

/** Whether a value without paths inside says something: not a list that is given empty, nor metadata that nobody owns anything of. */
function isEntry(shape: MergeShape, value: JsonValue): boolean {
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

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
