// Cost model of CEL functions, in the units of Kubernetes: estimated from the maximum sizes of values at definition
// time, and computed from actual sizes at run time. One unit per step, a tenth per character read, a quarter per
// character of a pattern. Source: github.com/google/cel-go, checker/cost.go;
// staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
import type { FoldMacro } from "../syntax/expression";
import { CelList, CelMap, type CelValue } from "../values/cel-value";

/** A range; `max` may be infinite. */
export interface Range {
  readonly min: number;
  readonly max: number;
  /** Value of an argument that is a literal integer. */
  readonly literal?: number;
}

export interface CostModel {
  /** Cost of one call, without its arguments. */
  readonly run: (...args: readonly CelValue[]) => number;
  readonly estimate: (...sizes: readonly Range[]) => Range;
  /** Size of the result in characters, elements or entries. */
  readonly size?: (...sizes: readonly Range[]) => Range;
}

export const CHARACTER = 0.1;
const PATTERN_CHARACTER = 0.25;

export const range = (min: number, max: number = min): Range => ({ min, max });
export const add = (a: Range, b: Range): Range => ({ min: a.min + b.min, max: a.max + b.max });
export const multiply = (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) });
export const scale = (a: Range, factor: number): Range => ({
  min: Math.ceil(a.min * factor),
  max: Math.ceil(a.max * factor),
});
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** Multiplies, where zero times infinity is zero. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

const ZERO = range(0);
const ONE = range(1);
const sizeAt = (sizes: readonly Range[], index: number): Range => sizes[index] ?? ZERO;

/** Costs one unit for any arguments. */
export const CONSTANT: CostModel = { run: () => 1, estimate: () => ONE };

/** Costs a tenth of a unit per character of the arguments at these positions. */
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

/** Costs one unit per element of the arguments at these positions. */
export function visits(...places: readonly number[]): CostModel {
  return {
    run: (...args) => 1 + places.reduce((sum, place) => sum + sizeOf(args[place] as CelValue), 0),
    estimate: (...sizes) => add(ONE, places.map((place) => sizeAt(sizes, place)).reduce(add, ZERO)),
    size: (...sizes) => range(0, sizeAt(sizes, 0).max),
  };
}

/** Costs `times` units per pair of elements of two lists. */
export function pairs(times: number): CostModel {
  return {
    run: (a, b) => 1 + times * sizeOf(a as CelValue) * sizeOf(b as CelValue),
    estimate: (a = ZERO, b = ZERO) => add(ONE, multiply(range(times), multiply(a, b))),
  };
}

/** Costs of matching a text against a pattern: the product of both lengths. */
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

/** Costs of searching a text for another. */
export const CONTAINS: CostModel = {
  run: (text, part) =>
    Math.ceil(sizeOf(text as CelValue) * CHARACTER) * Math.ceil(sizeOf(part as CelValue) * CHARACTER),
  estimate: (text = ZERO, part = ZERO) => multiply(scale(text, CHARACTER), scale(part, CHARACTER)),
};

/** Costs of comparing two values: reads both up to the length of the shorter. */
export const COMPARES: CostModel = {
  run: (a, b) => Math.ceil(Math.min(sizeOf(a as CelValue), sizeOf(b as CelValue)) * CHARACTER),
  estimate: (a = ZERO, b = ZERO) => {
    const most = Math.min(a.max, b.max);
    return { min: Math.min(1, Math.ceil(most * CHARACTER)), max: Math.ceil(most * CHARACTER) };
  },
};

/** Costs of concatenating two values. */
export const CONCATENATES: CostModel = {
  run: (a, b) => Math.ceil((sizeOf(a as CelValue) + sizeOf(b as CelValue)) * CHARACTER),
  estimate: (a = ZERO, b = ZERO) => scale(add(a, b), CHARACTER),
  size: (a = ZERO, b = ZERO) => add(a, b),
};

/**
 * Cost units of a fold per visited element and per kept element, in addition to the filter and the body: the loop
 * conditions and accumulation of CEL comprehensions.
 */
export const FOLD_COSTS: Readonly<Record<FoldMacro, { readonly each: number; readonly kept: number }>> = {
  all: { each: 3, kept: 0 },
  exists: { each: 4, kept: 0 },
  existsOne: { each: 1, kept: 1 },
  list: { each: 1, kept: 11 },
  map: { each: 1, kept: 31 },
  mapEntry: { each: 1, kept: 1 },
};
