// Amounts of huge pages: `hugepages-2Mi` counts bytes in pages of 2 MiB. Source: pkg/apis/core/helper/helpers.go.

import { isHugePages } from "@orch/apis-model";
import { parseQuantity, quantityMilliValue, quantityValue } from "@orch/schema";

const MILLI = 1000n;

/** Returns whether an amount of a resource is no multiple of its page. False for other resources. */
export function splitsPage(name: string, amount: string): boolean {
  if (!isHugePages(name)) return false;
  const page = parseQuantity(name.slice(name.indexOf("-") + 1));
  const bytes = parseQuantity(amount);
  if (page === undefined || bytes === undefined) return true;
  const size = quantityMilliValue(page);
  return size <= 0n || size % MILLI !== 0n || quantityValue(bytes) % (size / MILLI) !== 0n;
}

/** Returns whether a resource list has an amount that is no multiple of its page. */
export const splitsPages = (list: { readonly [name: string]: string } | undefined): boolean => {
  for (const name in list) if (splitsPage(name, list[name] as string)) return true;
  return false;
};
