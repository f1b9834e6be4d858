// Checks of single values: strings, numbers, and the number of items or properties. The messages are those of
// Kubernetes.
import { isLargerThan, type JsonArray } from "@orch/schema";
import type { ListCheck, MemberCheck, NumberCheck, PatternCheck, TextCheck } from "./checked-node";
import { meaningOf } from "./meaning";
import type { Walk } from "./walk";

/** "quiet": stops at the first violation and reports no error. @returns whether a rule is violated */
type Telling = "quiet" | undefined;

/** Reports the first of a text's length and pattern that is violated, or both where errors have no kinds. */
export function textBreaches(check: TextCheck, value: string, walk: Walk, telling?: Telling): boolean {
  const { minLength, maxLength, pattern, format } = check;
  let found = false;
  const tell = (rule: string): void => {
    found = true;
    if (telling === undefined) walk.invalid(value, rule);
  };
  if (minLength !== undefined || maxLength !== undefined) {
    const characters = codePointsOf(value);
    if (maxLength !== undefined && characters > maxLength) {
      found = true;
      if (telling === undefined) walk.tooLong(value, maxLength);
    } else if (minLength !== undefined && characters < minLength) tell(`should be at least ${minLength} chars long`);
  }
  if (found && telling === "quiet") return true;
  const isEnough = found && walk.hasErrorKinds;
  if (!isEnough && pattern !== undefined && !pattern.remembers(value) && !matches(pattern, value, walk)) {
    tell(`should match '${pattern.text}'`);
  }
  if (format !== undefined && !format.holds(value)) {
    found = true;
    if (telling === undefined) walk.wrongType(format.name, value);
  }
  return found;
}

/** Matches a pattern. A match that would be too expensive counts as successful, and the walk reports the excess. */
function matches(pattern: PatternCheck, value: string, walk: Walk): boolean {
  const { expression } = pattern;
  if (!walk.isAffordable(expression.size * value.length)) return true;
  const before = expression.work;
  const holds = pattern.test(value);
  walk.spendOnPatterns(expression.work - before);
  return holds;
}

function codePointsOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) as number) > 0xffff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

export function numberBreaches(check: NumberCheck, given: number | bigint, walk: Walk, telling?: Telling): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, outOfRange } = check;
  const value = Number(given);
  let found = false;
  if (outOfRange?.(given) === true) {
    found = true;
    if (telling === undefined) walk.outOfRange(check);
  }
  const tell = (rule: string): void => {
    found = true;
    if (telling === undefined) walk.invalid(given, rule);
  };
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    tell(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    tell(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    tell(`should be a multiple of ${multipleOf}`);
  }
  return found;
}

/** Reports whether a value is a multiple, within the precision of doubles: 1.13 counts as a multiple of 0.01. */
function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Math.abs(times - Math.round(times)) <= NEAR * Math.max(1, Math.abs(times));
}

const NEAR = 1e-9;

export function listBreaches(check: ListCheck, list: JsonArray, walk: Walk, telling?: Telling): boolean {
  const { minItems, maxItems, areUnique } = check;
  const { length } = list;
  let found = false;
  const tell = (rule: string): void => {
    found = true;
    if (telling === undefined) walk.invalid(length, rule);
  };
  if (maxItems !== undefined && length > maxItems) {
    found = true;
    if (telling === undefined) walk.tooMany(length, maxItems, "items");
  }
  if (minItems !== undefined && length < minItems) tell(`should have at least ${minItems} items`);
  if (areUnique && hasRepeated(list, walk)) tell("shouldn't contain duplicates");
  return found;
}

function hasRepeated(list: JsonArray, walk: Walk): boolean {
  const met = new Set<string>();
  for (const item of list) {
    if (!walk.spend(isLargerThan(item, LARGE) ? LARGE : 1)) return false;
    const meaning = meaningOf(item);
    if (met.has(meaning)) return true;
    met.add(meaning);
  }
  return false;
}

const LARGE = 1000;

export function memberCountBreaches(check: MemberCheck, count: number, walk: Walk, telling?: Telling): boolean {
  const { minProperties, maxProperties } = check;
  let found = false;
  const tell = (rule: string): void => {
    found = true;
    if (telling === undefined) walk.invalid(count, rule);
  };
  if (maxProperties !== undefined && count > maxProperties) {
    found = true;
    if (telling === undefined) walk.tooMany(count, maxProperties, "properties");
  }
  if (minProperties !== undefined && count < minProperties) tell(`should have at least ${minProperties} properties`);
  return found;
}
