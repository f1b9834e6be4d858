// Operators. Integers have 64 bits; an overflow is an error. Source: github.com/google/cel-spec, doc/langdef.md,
// "Standard Definitions".

import { COMPARES, CONCATENATES, CONSTANT, type CostModel, range } from "../cost/cost-model";
import {
  type CelList,
  type CelMap,
  type CelValue,
  type Duration,
  mapKey,
  type Timestamp,
  Uint,
} from "../values/cel-value";
import { ConcatenatedList } from "../values/concatenated-list";
import { equal, order, type Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { duration, timestamp } from "../values/time-value";
import { fn, type Overload } from "./overload";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

export const int = (value: bigint): bigint =>
  value >= INT_MIN && value <= INT_MAX ? value : fail("return error for overflow");
export const uint = (value: bigint): Uint =>
  value >= 0n && value <= UINT_MAX ? new Uint(value) : fail("return error for overflow");

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => Uint8Array.from(Buffer.concat([a, b]));
const intDivision = (a: bigint, b: bigint): bigint => (b === 0n ? fail("division by zero") : int(a / b));
const intRemainder = (a: bigint, b: bigint): bigint => {
  if (b === 0n) fail("modulus by zero");
  return a % b;
};

const ORDERED = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const NUMBERS = ["int", "uint", "double"];
const ORDERED_PAIRS = [
  ...ORDERED.map((type) => [type, type] as const),
  ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b] as const)),
];
const RELATIONS: Readonly<Record<string, (sign: number) => boolean>> = {
  "_<_": (sign) => sign < 0,
  "_<=_": (sign) => sign <= 0,
  "_>_": (sign) => sign > 0,
  "_>=_": (sign) => sign >= 0,
};

/** Costs of joining lists. No elements are copied, as in cel-go; each element is charged when it is visited. */
const JOINS_LISTS: CostModel = {
  ...CONSTANT,
  size: (a = range(0), b = range(0)) => range(a.min + b.min, a.max + b.max),
};
const SEARCHES_LIST: CostModel = {
  run: (_item, list) => (list as CelList).size,
  estimate: (_item, list = range(0)) => range(Math.min(1, list.max), list.max),
};

export const OPERATORS: readonly Overload[] = [
  fn("_==_(A, A): bool", COMPARES, equal),
  fn("_!=_(A, A): bool", COMPARES, (a: CelValue, b: CelValue, steps: Steps) => !equal(a, b, steps)),
  ...Object.entries(RELATIONS).flatMap(([name, holds]) =>
    ORDERED_PAIRS.map(([a, b]) =>
      fn(`${name}(${a}, ${b}): bool`, COMPARES, (x: CelValue, y: CelValue) => {
        const sign = order(x, y);
        return sign !== undefined && holds(sign);
      }),
    ),
  ),

  fn("_+_(int, int): int", CONSTANT, (a: bigint, b: bigint) => int(a + b)),
  fn("_+_(uint, uint): uint", CONSTANT, (a: Uint, b: Uint) => uint(a.value + b.value)),
  fn("_+_(double, double): double", CONSTANT, (a: number, b: number) => a + b),
  fn("_+_(string, string): string", CONCATENATES, (a: string, b: string) => a + b),
  fn("_+_(bytes, bytes): bytes", CONCATENATES, joined),
  fn("_+_(list<A>, list<A>): list<A>", JOINS_LISTS, ConcatenatedList.of),
  fn("_+_(timestamp, duration): timestamp", CONSTANT, (a: Timestamp, b: Duration) => timestamp(a.nanos + b.nanos)),
  fn("_+_(duration, timestamp): timestamp", CONSTANT, (a: Duration, b: Timestamp) => timestamp(a.nanos + b.nanos)),
  fn("_+_(duration, duration): duration", CONSTANT, (a: Duration, b: Duration) => duration(a.nanos + b.nanos)),

  fn("_-_(int, int): int", CONSTANT, (a: bigint, b: bigint) => int(a - b)),
  fn("_-_(uint, uint): uint", CONSTANT, (a: Uint, b: Uint) => uint(a.value - b.value)),
  fn("_-_(double, double): double", CONSTANT, (a: number, b: number) => a - b),
  fn("_-_(timestamp, timestamp): duration", CONSTANT, (a: Timestamp, b: Timestamp) => duration(a.nanos - b.nanos)),
  fn("_-_(timestamp, duration): timestamp", CONSTANT, (a: Timestamp, b: Duration) => timestamp(a.nanos - b.nanos)),
  fn("_-_(duration, duration): duration", CONSTANT, (a: Duration, b: Duration) => duration(a.nanos - b.nanos)),

  fn("_*_(int, int): int", CONSTANT, (a: bigint, b: bigint) => int(a * b)),
  fn("_*_(uint, uint): uint", CONSTANT, (a: Uint, b: Uint) => uint(a.value * b.value)),
  fn("_*_(double, double): double", CONSTANT, (a: number, b: number) => a * b),
  fn("_/_(int, int): int", CONSTANT, intDivision),
  fn("_/_(uint, uint): uint", CONSTANT, (a: Uint, b: Uint) => uint(intDivision(a.value, b.value))),
  fn("_/_(double, double): double", CONSTANT, (a: number, b: number) => a / b),
  fn("_%_(int, int): int", CONSTANT, intRemainder),
  fn("_%_(uint, uint): uint", CONSTANT, (a: Uint, b: Uint) => uint(intRemainder(a.value, b.value))),
  fn("-_(int): int", CONSTANT, (a: bigint) => int(-a)),
  fn("-_(double): double", CONSTANT, (a: number) => -a),
  fn("!_(bool): bool", CONSTANT, (a: boolean) => !a),

  fn("@in(A, list<A>): bool", SEARCHES_LIST, isIn),
  fn("@in(A, map<A, B>): bool", CONSTANT, (key: CelValue, map: CelMap) => map.has(key)),
  fn("_[_](list<A>, int): A", CONSTANT, element),
  fn("_[_](map<A, B>, A): B", CONSTANT, entry),
];

function isIn(item: CelValue, list: CelList, steps: Steps): boolean {
  for (let index = 0; index < list.size; index += 1) if (equal(list.at(index), item, steps)) return true;
  return false;
}

/** Returns the element at an index, which may be a number of any type without a fraction. */
export function element(list: CelList, index: CelValue): CelValue {
  const at = mapKey(index);
  if (typeof at !== "bigint") return fail("no such overload");
  if (at < 0n || at >= list.size) return fail(`index out of bounds: ${at}`);
  return list.at(Number(at));
}

export function entry(map: CelMap, key: CelValue): CelValue {
  if (mapKey(key) === undefined && typeof key !== "number") fail("unsupported key type");
  const value = map.get(key);
  return value === undefined ? missing(key) : value;
}

/** Fails with the error for a missing key. Kubernetes uses the same message for fields of objects and keys of maps. */
export function missing(key: CelValue): never {
  return fail(`no such key: ${keyText(key)}`);
}

const keyText = (key: CelValue): string =>
  key instanceof Uint ? `${key.value}` : typeof key === "object" ? "" : `${key}`;
