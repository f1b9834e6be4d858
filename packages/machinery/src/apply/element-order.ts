// The order in which a field set is written: fields, then items by keys, by value, by position; within a kind by what they hold.
// Source: facts, ssa.md "Path elements and serialisation".
import type { JsonObject, JsonValue } from "@orch/schema";
import { elementValue } from "./path-element";

/** Sorts elements in place. */
export function sortElements(elements: string[]): string[] {
  return elements.sort(compareElements);
}

export function compareElements(one: string, other: string): number {
  if (one === other) return 0;
  const kind = one.charCodeAt(0);
  if (kind !== other.charCodeAt(0)) return rank(one) - rank(other);
  if (kind === FIELD) return compareText(one, other);
  const [a, b] = [elementValue(one), elementValue(other)];
  return isObject(a) && isObject(b) ? comparePairs(a, b) : compareValues(a, b);
}

const FIELD = "f".charCodeAt(0);
const RANKS = ".fkvi";

const rank = (element: string): number => RANKS.indexOf(element[0] ?? "");

/** By code point, which is also the order of the bytes. */
function compareText(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let index = 0; index < shorter; index++) {
    const a = one.charCodeAt(index);
    const b = other.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return one.length - other.length;
}

/** Halves of a character beyond the first plane come after all of that plane. */
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
  if (typeof one === "number") return one - (other as number);
  if (typeof one === "string") return compareText(one, other as string);
  return Number(one) - Number(other) || compareText(JSON.stringify(one), JSON.stringify(other));
}

function kindRank(value: JsonValue): number {
  switch (typeof value) {
    case "number":
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

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
