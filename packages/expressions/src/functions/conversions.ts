// Type conversions, sizes and types of values. Source: github.com/google/cel-spec, doc/langdef.md, "Standard
// Definitions".
import { CONSTANT, type CostModel, reads } from "../cost/cost-model";
import {
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  type Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from "../values/cel-value";
import { codePointCount } from "../values/code-points";
import type { Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { durationOf, durationSeconds, secondsOf, timestamp, timestampOf, timestampText } from "../values/time-value";
import { int } from "./operators";
import { fn, method, type Overload, parsing } from "./overload";

const READS = reads(0);
/** The estimate knows no size of texts made from other values, as in cel-go. */
const SHORT: CostModel = CONSTANT;
const number = (text: string, pattern: RegExp): bigint =>
  text.length <= 64 && pattern.test(text) ? BigInt(text) : fail(`type conversion error: '${text.slice(0, 64)}'`);
const outOfRange = (): never => fail("range error: value out of range");
const intOf = (value: bigint): bigint => (BigInt.asIntN(64, value) === value ? value : outOfRange());
const uintOf = (value: bigint): Uint => (BigInt.asUintN(64, value) === value ? new Uint(value) : outOfRange());

/** Excludes both ends of the range, which as doubles cannot be distinguished from their neighbours. */
const doubleToInt = (value: number): bigint =>
  value > -(2 ** 63) && value < 2 ** 63 ? intOf(BigInt(Math.trunc(value))) : outOfRange();
const doubleToUint = (value: number): Uint =>
  value >= 0 && value < 2 ** 64 ? uintOf(BigInt(Math.trunc(value))) : outOfRange();

const TEXT_TO_BOOL: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};
const NUMBER_MAX = 400;
const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function doubleOf(text: string): number {
  if (text.length > NUMBER_MAX) return fail("type conversion error: the text is too long for a number");
  if (DOUBLE.test(text)) return Number(text);
  const special = /^([+-]?)(?:inf(?:inity)?|(nan))$/i.exec(text);
  if (special === null) return fail(`type conversion error: '${text.slice(0, 64)}'`);
  if (special[2] !== undefined) return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/**
 * Formats a double like Go: the shortest digits that parse to the same value, and an exponent of at least two digits.
 */
function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(value);
}

function bytesToText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const CHARACTERS_A_STEP = 64;
/** Returns the size in code points, bytes, elements or entries. Charges the work of counting code points. */
export function steppedSize(value: string | Uint8Array | CelList | CelMap, steps: Steps): number {
  if (typeof value !== "string") return value instanceof Uint8Array ? value.length : value.size;
  steps.step(1 + value.length / CHARACTERS_A_STEP);
  return codePointCount(value);
}
const size = (value: string | Uint8Array | CelList | CelMap, steps: Steps): bigint => BigInt(steppedSize(value, steps));
const same = (value: CelValue): CelValue => value;

/** Validates a literal time when an expression is compiled. */
const timeLiteral = (name: string, read: (text: string) => CelValue | undefined) =>
  ({
    checksNewLiterals: true,
    literalProblem: ([text]: readonly (CelValue | undefined)[]) =>
      typeof text === "string" && read(text) === undefined ? `invalid ${name} argument` : undefined,
  }) as const;

export const CONVERSIONS: readonly Overload[] = [
  fn("size(string): int", CONSTANT, size),
  fn("size(bytes): int", CONSTANT, size),
  fn("size(list<A>): int", CONSTANT, size),
  fn("size(map<A, B>): int", CONSTANT, size),
  method("string.size(): int", CONSTANT, size),
  method("bytes.size(): int", CONSTANT, size),
  method("list<A>.size(): int", CONSTANT, size),
  method("map<A, B>.size(): int", CONSTANT, size),
  fn("type(A): type<A>", CONSTANT, (value: CelValue) => new TypeValue(typeNameOf(value))),
  fn("dyn(A): dyn", CONSTANT, same),

  fn("bool(bool): bool", CONSTANT, same),
  fn("bool(string): bool", CONSTANT, (text: string) =>
    Object.hasOwn(TEXT_TO_BOOL, text) ? (TEXT_TO_BOOL[text] as boolean) : fail("type conversion error to bool"),
  ),
  fn("int(int): int", CONSTANT, same),
  fn("int(uint): int", CONSTANT, (value: Uint) => intOf(value.value)),
  fn("int(double): int", CONSTANT, doubleToInt),
  fn("int(string): int", CONSTANT, (text: string) => intOf(number(text, /^-?\d+$/))),
  fn("int(timestamp): int", CONSTANT, secondsOf),
  fn("uint(uint): uint", CONSTANT, same),
  fn("uint(int): uint", CONSTANT, (value: bigint) => uintOf(value)),
  fn("uint(double): uint", CONSTANT, doubleToUint),
  fn("uint(string): uint", CONSTANT, (text: string) => uintOf(number(text, /^\d+$/))),
  fn("double(double): double", CONSTANT, same),
  fn("double(int): double", CONSTANT, (value: bigint) => Number(value)),
  fn("double(uint): double", CONSTANT, (value: Uint) => Number(value.value)),
  fn("double(string): double", CONSTANT, doubleOf),
  fn("string(string): string", CONSTANT, same),
  fn("string(bool): string", SHORT, String),
  fn("string(int): string", SHORT, (value: bigint) => `${value}`),
  fn("string(uint): string", SHORT, (value: Uint) => `${value.value}`),
  fn("string(double): string", SHORT, doubleText),
  fn("string(bytes): string", READS, bytesToText),
  fn("string(timestamp): string", SHORT, parsing(20, timestampText)),
  fn("string(duration): string", SHORT, durationSeconds),
  fn("bytes(bytes): bytes", CONSTANT, same),
  fn("bytes(string): bytes", READS, (text: string) => new TextEncoder().encode(text)),
  fn("timestamp(timestamp): timestamp", CONSTANT, same),
  fn("timestamp(int): timestamp", CONSTANT, (seconds: bigint) => timestamp(seconds * 1_000_000_000n)),
  {
    ...fn(
      "timestamp(string): timestamp",
      CONSTANT,
      parsing(40, (text: string): Timestamp => timestampOf(text) ?? fail("invalid timestamp")),
    ),
    ...timeLiteral("timestamp", timestampOf),
  },
  fn("duration(duration): duration", CONSTANT, same),
  fn("duration(int): duration", CONSTANT, (nanos: bigint) => new Duration(int(nanos))),
  {
    ...fn(
      "duration(string): duration",
      CONSTANT,
      parsing(30, (text: string): Duration => durationOf(text) ?? fail("invalid duration or range")),
    ),
    ...timeLiteral("duration", durationOf),
  },
];
