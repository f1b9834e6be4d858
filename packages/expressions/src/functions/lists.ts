// Functions on lists, and set operations on lists. Source: staging/src/k8s.io/apiserver/pkg/cel/library/lists.go;
// github.com/google/cel-go, ext/sets.go.
import { pairs, range, visits } from "../cost/cost-model";
import { type CelList, type CelValue, Duration, Uint } from "../values/cel-value";
import { equal, order, type Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { duration } from "../values/time-value";
import { int, uint } from "./operators";
import { fn, method, type Overload } from "./overload";

const ORDERED = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const SUMMED: Readonly<
  Record<string, { readonly zero: CelValue; readonly add: (a: CelValue, b: CelValue) => CelValue }>
> = {
  int: { zero: 0n, add: (a, b) => int((a as bigint) + (b as bigint)) },
  uint: { zero: new Uint(0n), add: (a, b) => uint((a as Uint).value + (b as Uint).value) },
  double: { zero: 0, add: (a, b) => (a as number) + (b as number) },
  duration: { zero: new Duration(0n), add: (a, b) => duration((a as Duration).nanos + (b as Duration).nanos) },
};

function isSorted(list: CelList): boolean {
  for (let index = 1; index < list.size; index += 1) {
    const sign = order(list.at(index - 1), list.at(index));
    if (sign === undefined || sign > 0) return false;
  }
  return true;
}

function extreme(list: CelList, { sign, name }: { sign: 1 | -1; name: string }): CelValue {
  if (list.size === 0) return fail(`${name} called on empty list`);
  let found = list.at(0);
  for (let index = 1; index < list.size; index += 1) {
    const item = list.at(index);
    if ((order(item, found) ?? 0) * sign > 0) found = item;
  }
  return found;
}

/** Sums a list; the first element determines the type when it is not known at compile time. */
function sum(list: CelList): CelValue {
  const first = list.size === 0 ? 0n : list.at(0);
  const kind =
    typeof first === "bigint"
      ? "int"
      : typeof first === "number"
        ? "double"
        : first instanceof Uint
          ? "uint"
          : "duration";
  return sumOf(list, SUMMED[kind] as (typeof SUMMED)[string]);
}

function sumOf(
  list: CelList,
  { zero, add }: { zero: CelValue; add: (a: CelValue, b: CelValue) => CelValue },
): CelValue {
  let total = zero;
  for (let index = 0; index < list.size; index += 1) {
    const item = list.at(index);
    if (typeof item !== typeof zero || (item as object)?.constructor !== (zero as object)?.constructor)
      fail("no such overload");
    total = add(total, item);
  }
  return total;
}

function indexOf(list: CelList, item: CelValue, steps: Steps): bigint {
  for (let index = 0; index < list.size; index += 1) if (equal(list.at(index), item, steps)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: CelList, item: CelValue, steps: Steps): bigint {
  for (let index = list.size - 1; index >= 0; index -= 1) if (equal(list.at(index), item, steps)) return BigInt(index);
  return -1n;
}

const has = (list: CelList, item: CelValue, steps: Steps): boolean => {
  for (let index = 0; index < list.size; index += 1) {
    steps.step(1);
    if (equal(list.at(index), item, steps)) return true;
  }
  return false;
};
function contains(list: CelList, part: CelList, steps: Steps): boolean {
  for (let index = 0; index < part.size; index += 1) if (!has(list, part.at(index), steps)) return false;
  return true;
}
function intersects(a: CelList, b: CelList, steps: Steps): boolean {
  for (let index = 0; index < a.size; index += 1) if (has(b, a.at(index), steps)) return true;
  return false;
}

const ONE = { ...visits(0), size: () => range(1) };
/** Bounds the size of an element by that of its list, as the element's own size is not known. */
const ELEMENT = visits(0);

export const LISTS: readonly Overload[] = [
  ...ORDERED.flatMap((type) => [
    method(`list<${type}>.isSorted(): bool`, ONE, isSorted),
    method(`list<${type}>.min(): ${type}`, ELEMENT, (list: CelList) => extreme(list, { sign: -1, name: "min" })),
    method(`list<${type}>.max(): ${type}`, ELEMENT, (list: CelList) => extreme(list, { sign: 1, name: "max" })),
  ]),
  ...Object.entries(SUMMED).map(([type, of]) =>
    method(`list<${type}>.sum(): ${type}`, ONE, (list: CelList) =>
      list.size > 0 && type === "int" ? sum(list) : sumOf(list, of),
    ),
  ),
  method("list<A>.indexOf(A): int", ONE, indexOf),
  method("list<A>.lastIndexOf(A): int", ONE, lastIndexOf),
  fn("sets.contains(list<A>, list<A>): bool", pairs(1), contains),
  fn("sets.intersects(list<A>, list<A>): bool", pairs(1), intersects),
  fn(
    "sets.equivalent(list<A>, list<A>): bool",
    pairs(2),
    (a: CelList, b: CelList, steps: Steps) => contains(a, b, steps) && contains(b, a, steps),
  ),
];
