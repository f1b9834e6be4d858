// Order in which a field set is serialized: fields first, then items by key, by value and by index; elements of one
// kind are ordered by content. Same order as `PathElement.Compare` in sigs.k8s.io/structured-merge-diff,
// fieldpath/element.go.
import { isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import { elementValue } from "./path-element";

/**
 * Sorts path elements.
 * @returns `elements` itself when already sorted
 */
export function sortedElements(elements: readonly string[]): readonly string[] {
  for (let index = 1; index < elements.length; index++) {
    if (compareElements(elements[index - 1] as string, elements[index] as string) < 0) continue;
    // Parses each element once instead of at each comparison.
    return elements
      .map(heldBy)
      .sort(compareHeld)
      .map(({ element }) => element);
  }
  return elements;
}

export function compareElements(one: string, other: string): number {
  const isField = one.charCodeAt(0) === FIELD && other.charCodeAt(0) === FIELD;
  return isField ? compareText(one, other) : compareHeld(heldBy(one), heldBy(other));
}

interface Held {
  readonly element: string;
  readonly kind: number;
  /** Undefined for a field, which is compared by its name. */
  readonly value: JsonValue | undefined;
}

function heldBy(element: string): Held {
  const kind = element.charCodeAt(0);
  return { element, kind, value: kind === FIELD || kind === DOT ? undefined : elementValue(element) };
}

function compareHeld(one: Held, other: Held): number {
  if (one.element === other.element) return 0;
  if (one.kind !== other.kind) return rank(one.element) - rank(other.element);
  const { value: a, element } = one;
  const { value: b } = other;
  if (a === undefined || b === undefined) return compareText(element, other.element);
  return isObject(a) && isObject(b) ? comparePairs(a, b) : compareValues(a, b);
}

const FIELD = "f".charCodeAt(0);
const DOT = ".".charCodeAt(0);
const RANKS = ".fkvi";

const rank = (element: string): number => RANKS.indexOf(element[0] ?? "");

/** Compares by code point, which equals the order of the UTF-8 bytes. */
function compareText(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let index = 0; index < shorter; index++) {
    const a = one.charCodeAt(index);
    const b = other.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return one.length - other.length;
}

/**
 * Ranks surrogates after all other code units, so that supplementary characters sort after the basic multilingual
 * plane.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function comparePairs(one: JsonObject, other: JsonObject): number {
  const [names, others] = [Object.keys(one), Object.keys(other)];
  for (let index = 0; index < names.length && index < others.length; index++) {
    const [name, otherName] = [names[index] as string, others[index] as string];
    const order = compareText(name, otherName) || compareValues(one[name] ?? null, other[otherName] ?? null);
    if (order !== 0) return order;
  }
  return names.length - others.length;
}

function compareValues(one: JsonValue, other: JsonValue): number {
  const kinds = kindRank(one) - kindRank(other);
  if (kinds !== 0) return kinds;
  if (typeof one === "number" || typeof one === "bigint")
    return one < (other as number) ? -1 : Number(one > (other as number));
  if (typeof one === "string") return compareText(one, other as string);
  return Number(one) - Number(other) || compareText(writeJson(one), writeJson(other));
}

function kindRank(value: JsonValue): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 0;
    case "string":
      return 1;
    case "boolean":
      return 2;
    default:
      if (value === null) return 5;
      return Array.isArray(value) ? 3 : 4;
  }
}
