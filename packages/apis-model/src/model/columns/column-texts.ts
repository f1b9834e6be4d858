// Labels, selectors, addresses and shortened lists in table columns. Source: pkg/printers/internalversion/printers.go.

import { labelSelectorErrors, labelSelectorOfObject, labelSelectorText } from "@orch/machinery";
import type { JsonObject, metaV1, networkingV1 } from "@orch/schema";
import type { CellObject } from "./column";

type Labels = { readonly [key: string]: string | null | undefined } | null | undefined;

/** Formats labels such as `app=web,tier=front`; `<none>` when there are none. */
export const labelsText = (labels: Labels): string => pairs(labels) || "<none>";

/** Formats a selector as in a query; `<none>` when it is empty or absent, `<error>` when it is invalid. */
export const selectorText = (selector: CellObject<metaV1.LabelSelector> | null | undefined): string =>
  queryText(selector) || "<none>";

/** Formats a selector as in a query; "" when it is empty or absent, `<error>` when it is invalid. */
export function queryText(selector: CellObject<metaV1.LabelSelector> | null | undefined): string {
  if (!selector?.matchExpressions?.length) return pairs(selector?.matchLabels);
  const object = selector as JsonObject;
  return labelSelectorErrors(object, "").length > 0 ? "<error>" : labelSelectorText(labelSelectorOfObject(object));
}

function pairs(labels: Labels): string {
  if (!labels) return "";
  const keys = Object.keys(labels);
  if (keys.length > 1) keys.sort();
  return keys.map((key) => `${key}=${labels[key]}`).join(",");
}

/** Returns the distinct addresses of a load balancer, sorted; the host name when there is no address. */
export function loadBalancerAddresses(
  status: CellObject<networkingV1.IngressLoadBalancerStatus> | null | undefined,
): readonly string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses.filter((address) => address !== ""))].sort();
}

const SHOWN = 3;

/** Formats the first three items and the number of the others: `a,b,c + 2 more...`. */
export const shortenedList = (items: readonly string[]): string => shortenedText(items, items.length);

/**
 * Formats a shortened list without generating all items. @param items only the first ones are read @param count number
 * of all items
 */
export function shortenedText(items: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const item of items) {
    if (shown.length === SHOWN) break;
    shown.push(item);
  }
  const text = shown.join(",");
  return count > SHOWN ? `${text} + ${count - SHOWN} more...` : text;
}
