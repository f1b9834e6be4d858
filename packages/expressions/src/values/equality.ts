// Equality and order of values. Numbers are compared by value, whatever their types.
import {
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "./cel-value";

/** Counts the work of comparing nested values. */
export interface Steps {
  step(steps: number): void;
  /** Keys charged once per run; see `payOnce`. */
  paid?: Set<string> | undefined;
}

export function equal(a: CelValue, b: CelValue, steps: Steps): boolean {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (typeof x !== "object" || typeof y !== "object") {
    if (isNumeric(x) && isNumeric(y)) {
      // biome-ignore lint/suspicious/noDoubleEquals: an integer and a double are equal when their values are, which only == compares
      return x == y;
    }
    if (typeof x === "string" && typeof y === "string" && x.length === y.length) steps.step(1 + x.length / 64);
    return x === y;
  }
  if (x === null || y === null) return x === y;
  steps.step(1);
  if (x instanceof Uint8Array) return y instanceof Uint8Array && Buffer.compare(x, y) === 0;
  if (x instanceof Timestamp) return y instanceof Timestamp && x.nanos === y.nanos;
  if (x instanceof Duration) return y instanceof Duration && x.nanos === y.nanos;
  if (x instanceof TypeValue) return y instanceof TypeValue && x.name === y.name;
  if (x instanceof CelList) return y instanceof CelList && equalLists(x, y, steps);
  if (x instanceof CelMap) return y instanceof CelMap && equalMaps(x, y, steps);
  if (x instanceof OptionalValue) {
    if (!(y instanceof OptionalValue)) return false;
    if (x.value === undefined || y.value === undefined) return x.value === y.value;
    return equal(x.value, y.value, steps);
  }
  return x instanceof OpaqueValue && y instanceof OpaqueValue && x.equals(y);
}

const isNumeric = (value: unknown): value is bigint | number => typeof value === "bigint" || typeof value === "number";

function equalLists(a: CelList, b: CelList, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  const unordered = a.equals(b, steps) ?? b.equals(a, steps);
  if (unordered !== undefined) return unordered;
  for (let index = 0; index < a.size; index += 1) {
    steps.step(4);
    if (!equal(a.at(index), b.at(index), steps)) return false;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  const keys = a.keys();
  steps.step(5 + 10 * keys.length);
  for (const key of keys) {
    const other = b.get(key);
    if (other === undefined || !equal(a.get(key) as CelValue, other, steps)) return false;
  }
  return true;
}

/** Returns a negative number, zero or a positive number; undefined for values without an order, such as NaN. */
export function order(a: CelValue, b: CelValue): number | undefined {
  if (typeof a === "string" && typeof b === "string") return orderOfTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const x = ordered(a);
  const y = ordered(b);
  if (typeof x === "number" || typeof y === "number") return orderOfDoubles(Number(x), Number(y));
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}

/**
 * Compares doubles; an integer compared with a double is converted to the nearest double, as in cel-go. NaN has no
 * order.
 */
const orderOfDoubles = (x: number, y: number): number | undefined => (x < y ? -1 : x > y ? 1 : x === y ? 0 : undefined);

function ordered(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  if (value instanceof Uint) return value.value;
  return value instanceof Timestamp || value instanceof Duration ? value.nanos : undefined;
}

const HIGH = /[\ud800-\uffff]/;

/** Compares by code point, which differs from the order of UTF-16 code units only for surrogates and above. */
function orderOfTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (!HIGH.test(a) || !HIGH.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
