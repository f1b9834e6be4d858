// Finds the values of an update that equal their old values, for validation ratcheting: errors of unchanged values are
// tolerated. Source: KEP-4008; staging/src/k8s.io/apiserver/pkg/cel/common/equality.go.
import { sameJson } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { keyText } from "./meaning";
import { additionalOf, itemsOf, type Markers, namesOf, propertyOf } from "./schema-node";

/** Old items of a list of type map by their keys. */
type OldItems = ReadonlyMap<string, JsonObject>;

export class UnchangedValues {
  /** Answers by new value. Each object and list is compared at most once, so that all answers together take linear time. */
  private readonly known = new Map<JsonValue, boolean>();
  private readonly keyed = new Map<JsonArray, OldItems>();

  constructor(private readonly markers: Markers) {}

  /**
   * Returns the old item of a list item. Only items of lists of type map have one: it has the same keys. Other lists
   * are compared as a whole.
   */
  oldItem(list: JsonObject, item: JsonValue, old: JsonValue | undefined): JsonObject | undefined {
    if (list[this.markers.listType] !== "map" || !Array.isArray(old) || !isObject(item)) return undefined;
    const keys = namesOf(list, this.markers.listMapKeys);
    if (keys.length === 0) return undefined;
    let items = this.keyed.get(old);
    if (items === undefined) {
      items = firstByKeys(old, keys);
      this.keyed.set(old, items);
    }
    return hasKeys(item, keys) ? items.get(keyText(item, keys)) : undefined;
  }

  /**
   * Reports whether a value equals its old value. The items of lists of type map may be in another order. Members that
   * the schema does not describe have no old value: an object with such members counts as changed.
   */
  has(node: JsonObject, value: JsonValue, old: JsonValue): boolean {
    if (typeof value !== "object" || value === null) return value === old || (isNumeric(value) && sameJson(value, old));
    let same = this.known.get(value);
    if (same === undefined) {
      same = Array.isArray(value) ? this.sameList(node, value, old) : this.sameMembers(node, value, old);
      this.known.set(value, same);
    }
    return same;
  }

  private sameList(node: JsonObject, list: JsonArray, old: JsonValue): boolean {
    if (!Array.isArray(old) || old.length !== list.length) return false;
    const items = itemsOf(node);
    if (node[this.markers.listType] !== "map" || items === undefined) return sameJson(list, old);
    return list.every((item) => {
      const before = this.oldItem(node, item, old);
      return before !== undefined && this.has(items, item, before);
    });
  }

  private sameMembers(node: JsonObject, object: JsonObject, old: JsonValue): boolean {
    if (!isObject(old)) return false;
    const names = Object.keys(object);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => {
      const before = memberOf<JsonValue>(old, name);
      const child = propertyOf(node, name) ?? additionalOf(node);
      return before !== undefined && child !== undefined && this.has(child, object[name] as JsonValue, before);
    });
  }
}

const isNumeric = (value: JsonValue): boolean => typeof value === "number" || typeof value === "bigint";

/** The first of several items with the same keys counts. */
function firstByKeys(items: JsonArray, keys: readonly string[]): OldItems {
  const found = new Map<string, JsonObject>();
  for (const item of items) {
    if (!isObject(item) || !hasKeys(item, keys)) continue;
    const text = keyText(item, keys);
    if (!found.has(text)) found.set(text, item);
  }
  return found;
}

/** Items without all keys cannot be found again. */
const hasKeys = (item: JsonObject, keys: readonly string[]): boolean =>
  keys.every((key) => {
    const value = memberOf<JsonValue>(item, key);
    return value !== undefined && value !== null && typeof value !== "object";
  });
