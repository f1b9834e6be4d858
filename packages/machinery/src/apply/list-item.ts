// Identifies list items by path element.
import { type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import type { ItemsShape } from "./merge-shape";
import { elementJson, valueElement } from "./path-element";

export type KeyedList = ItemsShape | { readonly kind: "set" };

/** Returns the path element of an item: its value, or its keys, where an absent key has its default or null. */
export function itemElement(shape: KeyedList, item: JsonValue): string {
  if (shape.kind === "set") return valueElement(item);
  let pairs = "";
  for (const { name, json, default: value = null } of shape.keys) {
    pairs += `${pairs === "" ? "" : ","}${json}:${elementJson(keyOf(item, name) ?? value)}`;
  }
  return `k:{${pairs}}`;
}

/** Groups items by path element. Duplicates, which validation refuses, share a group. */
export function itemsByElement(shape: KeyedList, items: JsonArray): Map<string, JsonArray> {
  const groups = new Map<string, JsonArray>();
  for (const item of items) {
    const element = itemElement(shape, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Reports whether both lists have the same items in the same order, compared by keys or values. */
export function sameItems(shape: KeyedList, one: JsonArray, other: JsonArray): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) {
    const [a, b] = [one[index] as JsonValue, other[index] as JsonValue];
    if (shape.kind === "set") {
      if (a !== b) return false;
    } else {
      for (const { name } of shape.keys) if (keyOf(a, name) !== keyOf(b, name)) return false;
    }
  }
  return true;
}

const keyOf = (item: JsonValue, name: string): JsonValue | undefined =>
  typeof item === "object" && item !== null ? memberOf(item as JsonObject, name) : undefined;
