// Functions that arrange lists: order, reversal, distinct elements, parts and ranges. Source: github.com/google/cel-go,
// ext/lists.go, version 3, with its costs.
import { CHARACTER, type CostModel, multiply, type Range, range, scale, sizeOf } from "../cost/cost-model";
import { ArrayList, CelList, type CelValue } from "../values/cel-value";
import { equal, order, type Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { fn, method, type Overload } from "./overload";

/** Cost of a call that allocates a list, without its elements. */
const ALLOCATION = 11;
const ORDERED = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
/** Texts are also read when they are compared. */
const READ: ReadonlySet<string> = new Set(["string", "bytes"]);
const EMPTY: Range = range(0);

const plus = ({ min, max }: Range, more: number): Range => ({ min: min + more, max: max + more });

/** Costs `factor` units per element of the first argument. */
const copies = (factor: number): CostModel => ({
  run: (list) => ALLOCATION + factor * sizeOf(list as CelValue),
  estimate: (list = EMPTY) => plus(scale(list, factor), ALLOCATION),
  size: (list = EMPTY) => list,
});

/** Costs `factor` units per pair of elements of an argument. */
const comparesAll = (at: 0 | 1, factor: (first: CelValue | undefined) => number, most: number): CostModel => ({
  run: (...args) => {
    const list = args[at] as CelList;
    return ALLOCATION + Math.floor(list.size ** 2 * factor(list.size === 0 ? undefined : list.at(0)));
  },
  estimate: (...sizes) => {
    const size = sizes[at] ?? EMPTY;
    return plus(scale(multiply(size, size), most), ALLOCATION);
  },
  size: (...sizes) => sizes[0] ?? EMPTY,
});

const factorOf = (first: CelValue | undefined): number =>
  typeof first === "string" || first instanceof Uint8Array ? 2 + CHARACTER : 2;

const sorting = (type: string, keys: 0 | 1): CostModel =>
  comparesAll(keys, factorOf, READ.has(type) ? 2 + CHARACTER : 2);

/** Costs one unit per element of the result. The size of a literal range is known in advance. */
const RANGE: CostModel = {
  run: (count) => ALLOCATION + Math.max(0, Number(count)),
  estimate: (count) => range(ALLOCATION + Math.max(0, count?.literal ?? Number.POSITIVE_INFINITY)),
  size: (count) => range(Math.max(0, count?.literal ?? Number.POSITIVE_INFINITY)),
};

const SLICE: CostModel = {
  run: (_list, from, to) => ALLOCATION + Math.max(0, Number(to) - Number(from)),
  estimate: (list = EMPTY, from = EMPTY, to = EMPTY) =>
    range(ALLOCATION + Math.max(0, (to.literal ?? list.max) - (from.literal ?? 0))),
  size: (list = EMPTY) => range(0, list.max),
};

const FLATTEN_TO: CostModel = {
  run: (list, depth) => ALLOCATION + Math.max(0, Number(depth)) * sizeOf(list as CelValue),
  estimate: (list = EMPTY, depth = EMPTY) =>
    plus(multiply(list, range(depth.literal ?? Number.POSITIVE_INFINITY)), ALLOCATION),
};

function itemsOf(list: CelList): CelValue[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

function sorted(list: CelList, keys: CelList): CelList {
  const sortKeys = itemsOf(keys);
  const [first] = sortKeys;
  if (first === undefined) return list;
  for (const key of sortKeys) {
    if (order(first, first) === undefined) fail("list elements must be comparable");
    if (typeof key !== typeof first || Object(key).constructor !== Object(first).constructor)
      fail("list elements must have the same type");
  }
  const places = sortKeys.map((_, index) => index);
  places.sort((a, b) => order(sortKeys[a] as CelValue, sortKeys[b] as CelValue) ?? 0);
  return new ArrayList(places.map((at) => list.at(at)));
}

function distinct(list: CelList, steps: Steps): CelList {
  const found: CelValue[] = [];
  for (const item of itemsOf(list)) if (!found.some((each) => equal(item, each, steps))) found.push(item);
  return new ArrayList(found);
}

function slice(list: CelList, from: bigint, to: bigint): CelList {
  if (from < 0n || to < from || to > list.size) fail(`cannot slice(${from}, ${to}), list is length ${list.size}`);
  return new ArrayList(Array.from({ length: Number(to - from) }, (_, index) => list.at(Number(from) + index)));
}

function flattened(list: CelList, depth: bigint, steps: Steps): CelList {
  const items: CelValue[] = [];
  const add = (part: CelList, left: bigint): void => {
    for (let index = 0; index < part.size; index += 1) {
      steps.step(1);
      const item = part.at(index);
      if (item instanceof CelList && left > 0n) add(item, left - 1n);
      else items.push(item);
    }
  };
  add(list, depth < 0n ? fail("level must be non-negative") : depth);
  return new ArrayList(items);
}

export const ARRANGED_LISTS: readonly Overload[] = [
  ...ORDERED.flatMap((type) => [
    method(`list<${type}>.sort(): list<${type}>`, sorting(type, 0), (list: CelList) => sorted(list, list)),
    // Called by the macro sortBy.
    method(`list<A>.@sortByAssociatedKeys(list<${type}>): list<A>`, sorting(type, 1), sorted),
  ]),
  method("list<A>.slice(int, int): list<A>", SLICE, slice),
  method("list<list<T>>.flatten(): list<T>", copies(1), (list: CelList, steps: Steps) => flattened(list, 1n, steps)),
  method("list<dyn>.flatten(int): list<dyn>", FLATTEN_TO, flattened),
  method("list<A>.reverse(): list<A>", copies(1), (list: CelList) => new ArrayList(itemsOf(list).reverse())),
  method("list<A>.distinct(): list<A>", comparesAll(0, factorOf, 2), distinct),
  fn(
    "lists.range(int): list<int>",
    RANGE,
    (count: bigint) => new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, at) => BigInt(at))),
  ),
];
