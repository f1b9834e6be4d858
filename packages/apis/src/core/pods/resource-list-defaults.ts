// Amounts by resource name.
import { isObject, type JsonObject, parseQuantity, quantityText, roundUpQuantity } from "@orch/schema";

/** Nobody deals in less than a thousandth of a resource: finer amounts are rounded up. */
export function roundResources(object: JsonObject, field: string): void {
  const list = object[field];
  if (!isObject(list)) return;
  for (const name in list) {
    const amount = list[name];
    if (typeof amount === "string" && FINER.test(amount)) list[name] = rounded(amount);
  }
}

/** Canonical text of an amount with parts smaller than a thousandth: canonical texts have no fractions. */
const FINER = /[nu]$|e-/;

function rounded(amount: string): string {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? amount : quantityText(roundUpQuantity(quantity, -3));
}
