// What functions cost, in the field's units: at definition time from how large values may become, at run time from how large they are.
// Source: the field's cost rules: one unit a step, a tenth for each character that is looked at, a quarter for each of a pattern.
import { CelList, CelMap, type CelValue } from "../values/cel-value";

/** From least to most; the most may be infinite. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface CostModel {
  /** Of one call, its arguments not counted. */
  readonly run: (...args: readonly CelValue[]) => number;
  readonly estimate: (...sizes: readonly Range[]) => Range;
  /** How large the result may be, in characters, elements or entries. */
  readonly size?: (...sizes: readonly Range[]) => Range;
}

export const CHARACTER = 0.1;
export const PATTERN_CHARACTER = 0.25;

export const range = (min: number, max: number = min): Range => ({ min, max });
export const add = (a: Range, b: Range): Range => ({ min: a.min + b.min, max: a.max + b.max });
export const multiply = (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) });
export const scale = (a: Range, factor: number): Range => ({
  min: Math.ceil(a.min * factor),
  max: Math.ceil(a.max * factor),
});
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** Of nothing infinite, there is nothing. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

const ZERO = range(0);
const ONE = range(1);
const sizeAt = (sizes: readonly Range[], index: number): Range => sizes[index] ?? ZERO;

/** One unit, whatever it is given. */
export const CONSTANT: CostModel = { run: () => 1, estimate: () => ONE };

/** A tenth for each character of the arguments at these places. */
export function reads(...places: readonly number[]): CostModel {
  const cost = (size: number): number => Math.ceil(size * CHARACTER);
  const [only] = places;
  const run: CostModel["run"] =
    places.length === 1 && only === 0
      ? (first) => cost(sizeOf(first as CelValue))
      : places.length === 1 && only === 1
        ? (_first, second) => cost(sizeOf(second as CelValue))
        : (...args) => cost(places.reduce((sum, place) => sum + sizeOf(args[place] as CelValue), 0));
  return {
    run,
    estimate: (...sizes) => scale(places.map((place) => sizeAt(sizes, place)).reduce(add, ZERO), CHARACTER),
    size: (...sizes) => range(0, sizeAt(sizes, 0).max),
  };
}

/** One for each element of the arguments at these places. */
export function visits(...places: readonly number[]): CostModel {
  return {
    run: (...args) => 1 + places.reduce((sum, place) => sum + sizeOf(args[place] as CelValue), 0),
    estimate: (...sizes) => add(ONE, places.map((place) => sizeAt(sizes, place)).reduce(add, ZERO)),
    size: (...sizes) => range(0, sizeAt(sizes, 0).max),
  };
}

/** Each element of one list held against each of another, so many times. */
export function pairs(times: number): CostModel {
  return {
    run: (a, b) => 1 + times * sizeOf(a as CelValue) * sizeOf(b as CelValue),
    estimate: (a = ZERO, b = ZERO) => add(ONE, multiply(range(times), multiply(a, b))),
  };
}

/** The characters of a text, each held against a pattern's. */
export const MATCHES: CostModel = {
  run: (text, pattern) => patternCost(sizeOf(text as CelValue), sizeOf(pattern as CelValue)),
  estimate: (text = ZERO, pattern = ZERO) => ({
    min: patternCost(text.min, pattern.min),
    max: patternCost(text.max, pattern.max),
  }),
  size: (text = ZERO) => range(0, text.max),
};

const patternCost = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * CHARACTER) * Math.max(1, Math.ceil(pattern * PATTERN_CHARACTER));

/** A text searched for another. */
export const CONTAINS: CostModel = {
  run: (text, part) =>
    Math.ceil(sizeOf(text as CelValue) * CHARACTER) * Math.ceil(sizeOf(part as CelValue) * CHARACTER),
  estimate: (text = ZERO, part = ZERO) => multiply(scale(text, CHARACTER), scale(part, CHARACTER)),
};

/** Both are read, as far as the shorter goes. */
export const COMPARES: CostModel = {
  run: (a, b) => Math.ceil(Math.min(sizeOf(a as CelValue), sizeOf(b as CelValue)) * CHARACTER),
  estimate: (a = ZERO, b = ZERO) => {
    const most = Math.min(a.max, b.max);
    return { min: Math.min(1, Math.ceil(most * CHARACTER)), max: Math.ceil(most * CHARACTER) };
  },
};

/** Both are written one behind the other. */
export const CONCATENATES: CostModel = {
  run: (a, b) => Math.ceil((sizeOf(a as CelValue) + sizeOf(b as CelValue)) * CHARACTER),
  estimate: (a = ZERO, b = ZERO) => scale(add(a, b), CHARACTER),
  size: (a = ZERO, b = ZERO) => add(a, b),
};
