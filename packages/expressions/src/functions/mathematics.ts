// Mathematical functions. Source: github.com/google/cel-go, ext/math.go.
import { CONSTANT, visits } from "../cost/cost-model";
import { type CelList, type CelValue, Uint } from "../values/cel-value";
import { order } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { int } from "./operators";
import { fn, type Overload } from "./overload";

const NUMBERS = ["int", "uint", "double"];

function extreme(sign: 1 | -1): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => {
    const relation = order(a, b);
    return relation !== undefined && relation * sign < 0 ? b : a;
  };
}

function extremeOf(list: CelList, pick: (a: CelValue, b: CelValue) => CelValue): CelValue {
  if (list.size === 0) return fail("math.@extreme(list) argument must not be empty");
  let found = number(list.at(0));
  for (let index = 1; index < list.size; index += 1) found = pick(found, number(list.at(index)));
  return found;
}

const number = (value: CelValue): CelValue =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint ? value : fail("no such overload");

const extremes = (name: string, pick: (a: CelValue, b: CelValue) => CelValue): readonly Overload[] => [
  ...NUMBERS.map((type) => fn(`${name}(${type}): ${type}`, CONSTANT, (value: CelValue) => value)),
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => fn(`${name}(${a}, ${b}): ${a === b ? a : "dyn"}`, CONSTANT, pick))),
  ...[...NUMBERS, "dyn"].map((type) =>
    fn(`${name}(list<${type}>): ${type}`, visits(0), (list: CelList) => extremeOf(list, pick)),
  ),
];

/** Rounds half away from zero. */
const round = (value: number): number =>
  Number.isFinite(value) ? Math.sign(value) * Math.round(Math.abs(value)) : value;
const shift = (by: bigint): bigint => (by < 0n ? fail(`math.bitShift() negative offset: ${by}`) : by);
const shiftedLeft = (value: bigint, by: bigint): bigint => (shift(by) > 63n ? 0n : value << by);
const signed = (value: bigint): bigint => BigInt.asIntN(64, value);
const unsigned = (value: bigint): Uint => new Uint(BigInt.asUintN(64, value));

const BITS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "math.bitAnd": (a, b) => a & b,
  "math.bitOr": (a, b) => a | b,
  "math.bitXor": (a, b) => a ^ b,
};
const DOUBLES: Readonly<Record<string, (value: number) => number>> = {
  "math.ceil": Math.ceil,
  "math.floor": Math.floor,
  "math.round": round,
  "math.trunc": Math.trunc,
};

export const MATHEMATICS: readonly Overload[] = [
  ...extremes("math.greatest", extreme(1)),
  ...extremes("math.least", extreme(-1)),
  ...Object.entries(DOUBLES).map(([name, call]) => fn(`${name}(double): double`, CONSTANT, call)),
  fn("math.abs(int): int", CONSTANT, (value: bigint) => int(value < 0n ? -value : value)),
  fn("math.abs(uint): uint", CONSTANT, (value: Uint) => value),
  fn("math.abs(double): double", CONSTANT, Math.abs),
  fn("math.sign(int): int", CONSTANT, (value: bigint) => (value > 0n ? 1n : value < 0n ? -1n : 0n)),
  fn("math.sign(uint): uint", CONSTANT, (value: Uint) => new Uint(value.value > 0n ? 1n : 0n)),
  fn("math.sign(double): double", CONSTANT, Math.sign),
  fn("math.sqrt(double): double", CONSTANT, Math.sqrt),
  fn("math.sqrt(int): double", CONSTANT, (value: bigint) => Math.sqrt(Number(value))),
  fn("math.sqrt(uint): double", CONSTANT, (value: Uint) => Math.sqrt(Number(value.value))),
  fn("math.isNaN(double): bool", CONSTANT, Number.isNaN),
  fn("math.isInf(double): bool", CONSTANT, (value: number) => Math.abs(value) === Number.POSITIVE_INFINITY),
  fn("math.isFinite(double): bool", CONSTANT, Number.isFinite),
  ...Object.entries(BITS).flatMap(([name, call]) => [
    fn(`${name}(int, int): int`, CONSTANT, (a: bigint, b: bigint) => signed(call(a, b))),
    fn(`${name}(uint, uint): uint`, CONSTANT, (a: Uint, b: Uint) => unsigned(call(a.value, b.value))),
  ]),
  fn("math.bitNot(int): int", CONSTANT, (value: bigint) => ~value),
  fn("math.bitNot(uint): uint", CONSTANT, (value: Uint) => unsigned(~value.value)),
  fn("math.bitShiftLeft(int, int): int", CONSTANT, (value: bigint, by: bigint) => signed(shiftedLeft(value, by))),
  fn("math.bitShiftLeft(uint, int): uint", CONSTANT, (value: Uint, by: bigint) =>
    unsigned(shiftedLeft(value.value, by)),
  ),
  // Logical shift: fills with zeros regardless of the sign.
  fn("math.bitShiftRight(int, int): int", CONSTANT, (value: bigint, by: bigint) =>
    signed(shift(by) > 63n ? 0n : BigInt.asUintN(64, value) >> by),
  ),
  fn("math.bitShiftRight(uint, int): uint", CONSTANT, (value: Uint, by: bigint) =>
    unsigned(shift(by) > 63n ? 0n : value.value >> by),
  ),
];
