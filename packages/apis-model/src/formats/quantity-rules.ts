// Rules of quantities, and rounding of resource lists. Objects hold canonical texts, which have the sign first.
import { isObject, type JsonObject, parseQuantity, type Quantity, quantityText, roundUpQuantity } from "@orch/schema";
import type { Rule } from "../model/rules/rule";
import type { WarningList } from "../model/warning-list";
import { NOT_NEGATIVE } from "./format-rules";

const ZERO: Quantity = { nanos: 0n, format: "DecimalSI" };

/** Returns the quantity of a decoded object's text. */
export const quantityOf = (text: string): Quantity => parseQuantity(text) ?? ZERO;

export const isNegative = (text: string): boolean => text.charCodeAt(0) === MINUS && quantityOf(text).nanos < 0n;

const MINUS = 45;

export const isPositive = (text: string): boolean => quantityOf(text).nanos > 0n;

/** Matches digits with a multiplying suffix, the form of nearly every quantity. */
const WHOLE = /^\d+([kMGTPE]|[KMGTPE]i)?$/;

/** Adds a warning about a fraction of a byte. */
export function warnOfFraction(amount: unknown, at: string, list: WarningList): void {
  if (typeof amount !== "string" || isWhole(amount)) return;
  list.add(at, `fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`);
}

export const isWhole = (text: string): boolean => WHOLE.test(text) || quantityOf(text).nanos % 1_000_000_000n === 0n;

export const nonNegativeQuantity: Rule<string> = (value, at, report) => {
  if (isNegative(value)) report.invalid(at, value, NOT_NEGATIVE);
};

export const positiveQuantity: Rule<string> = (value, at, report) => {
  if (!isPositive(value)) report.invalid(at, value, "must be greater than zero");
};

/** Rounds the amounts of a resource list up to thousandths, the smallest unit of resources. */
export function roundResources(object: JsonObject, field: string): void {
  const list = object[field];
  if (!isObject(list)) return;
  for (const name in list) {
    const amount = list[name];
    if (typeof amount === "string" && FINER.test(amount)) list[name] = rounded(amount);
  }
}

/** Matches canonical quantities with parts smaller than a thousandth. Canonical texts have no fractions. */
const FINER = /[nu]$|e-/;

function rounded(amount: string): string {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? amount : quantityText(roundUpQuantity(quantity, -3));
}
