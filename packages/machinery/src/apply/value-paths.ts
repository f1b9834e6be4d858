// The paths of a value. Source: facts, ssa.md "Core set algebra".
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { asMember, type FieldSet, inOrder, isLeaf, LEAF, type MutableFieldSet, unionOfNodes } from "./field-set";
import { itemElement, type KeyedList } from "./list-item";
import { DEDUCED, type MapShape, type MergeShape, memberShape, type StructShape } from "./merge-shape";
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
        return isObject(value) ? this.#members(shape, value) : undefined;
      case "deduced":
        return isObject(value) ? this.#deduced(value) : undefined;
      case "set":
      case "items":
        return Array.isArray(value) ? this.#items(shape, value) : undefined;
    }
  }

  #members(shape: StructShape | MapShape, value: JsonObject): FieldSet | undefined {
    const children: MutableFieldSet = {};
    for (const name in value) {
      const member = memberShape(shape, name);
      if (member === undefined || member.kind === "untracked") continue;
      const node = this.#member(shape.kind, member, value[name] as JsonValue);
      if (node !== undefined) children[fieldElement(name)] = node;
    }
    return isLeaf(children) ? undefined : inOrder(children);
  }

  #deduced(value: JsonObject): FieldSet | undefined {
    const children: MutableFieldSet = {};
    for (const name in value) {
      const node = this.#member("struct", DEDUCED, value[name] as JsonValue);
      if (node !== undefined) children[fieldElement(name)] = node;
    }
    return isLeaf(children) ? undefined : inOrder(children);
  }

  #member(owner: "struct" | "map", shape: MergeShape, value: JsonValue): FieldSet | undefined {
    const below = this.below(shape, value);
    if (below !== undefined) return this.extent === "every" || owner === "map" ? asMember(below) : below;
    // A list given empty says of no item that it is there.
    const isBareList = (shape.kind === "set" || shape.kind === "items") && value !== null;
    return isBareList && this.extent === "applied" ? undefined : LEAF;
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

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
