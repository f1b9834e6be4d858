// Rounding of resource lists.
import { isObject, type JsonObject, parseQuantity, quantityText, roundUpQuantity } from "@orch/schema";

/** Rounds amounts up to thousandths, the smallest unit of resources. */
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
