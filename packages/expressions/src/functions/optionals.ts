// Optional values. Source: github.com/google/cel-go, cel/library.go, "OptionalTypes".
import { CONSTANT, type CostModel, either, range, visits } from "../cost/cost-model";
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  mapKey,
  OptionalValue,
  Timestamp,
  Uint,
} from "../values/cel-value";
import { fail } from "../values/evaluation-error";
import { fn, method, type Overload } from "./overload";

const HAS_SIZE_OF_FIRST: CostModel = { ...CONSTANT, size: (value = range(0)) => value };

const isZero = (value: CelValue): boolean => {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  return (value instanceof Duration || value instanceof Timestamp) && value.nanos === 0n;
};

/** Evaluates `container[?key]` and `container.?key`, also on an optional. */
export function optionalEntry(container: CelValue, key: CelValue): OptionalValue {
  if (container instanceof OptionalValue) {
    return container.value === undefined ? OptionalValue.NONE : optionalEntry(container.value, key);
  }
  if (container instanceof CelMap) {
    const found = container.get(key);
    return found === undefined ? OptionalValue.NONE : OptionalValue.of(found);
  }
  if (!(container instanceof CelList)) return fail("no such overload");
  const at = mapKey(key);
  if (typeof at !== "bigint") return fail("no such overload");
  return at >= 0n && at < container.size ? OptionalValue.of(container.at(Number(at))) : OptionalValue.NONE;
}

function unwrapped(list: CelList): CelList {
  const items: CelValue[] = [];
  for (let index = 0; index < list.size; index += 1) {
    const item = list.at(index);
    if (!(item instanceof OptionalValue)) return fail("no such overload");
    if (item.value !== undefined) items.push(item.value);
  }
  return new ArrayList(items);
}

const LAZY = { ...CONSTANT, size: either };

/**
 * Functions on optionals. `or` and `orValue` evaluate their second operand only when the first has no value; see
 * `orElse`.
 */
export const OPTIONALS: readonly Overload[] = [
  fn("optional.of(A): optional<A>", HAS_SIZE_OF_FIRST, OptionalValue.of),
  fn("optional.ofNonZeroValue(A): optional<A>", HAS_SIZE_OF_FIRST, (value: CelValue) =>
    isZero(value) ? OptionalValue.NONE : OptionalValue.of(value),
  ),
  fn("optional.none(): optional<A>", CONSTANT, () => OptionalValue.NONE),
  method("optional<A>.hasValue(): bool", CONSTANT, (optional: OptionalValue) => optional.value !== undefined),
  method("optional<A>.value(): A", HAS_SIZE_OF_FIRST, (optional: OptionalValue) =>
    optional.value === undefined ? fail("optional.none() dereference") : optional.value,
  ),
  method("optional<A>.or(optional<A>): optional<A>", LAZY, (a: OptionalValue, b: OptionalValue) =>
    a.value === undefined ? b : a,
  ),
  method(
    "optional<A>.orValue(A): A",
    LAZY,
    (a: OptionalValue, b: CelValue) => a.value ?? (a.value === null ? null : b),
  ),
  fn("optional.unwrap(list<optional<A>>): list<A>", visits(0), unwrapped),
  method("list<optional<A>>.unwrapOpt(): list<A>", visits(0), unwrapped),
  method("list<A>.first(): optional<A>", CONSTANT, (list: CelList) => optionalEntry(list, 0n)),
  method("list<A>.last(): optional<A>", CONSTANT, (list: CelList) => optionalEntry(list, BigInt(list.size - 1))),
  fn("_[?_](list<A>, int): optional<A>", CONSTANT, optionalEntry),
  fn("_[?_](map<A, B>, A): optional<B>", CONSTANT, optionalEntry),
  fn("_[?_](optional<list<A>>, int): optional<A>", CONSTANT, optionalEntry),
  fn("_[?_](optional<map<A, B>>, A): optional<B>", CONSTANT, optionalEntry),
  fn("_[_](optional<list<A>>, int): optional<A>", CONSTANT, optionalEntry),
  fn("_[_](optional<map<A, B>>, A): optional<B>", CONSTANT, optionalEntry),
];
