// Labels and selectors in table columns. Source: pkg/printers/internalversion/printers.go.
import { labelSelectorErrors, labelSelectorOfObject, labelSelectorText } from "@orch/machinery";
import type { JsonObject, metaV1 } from "@orch/schema";
import type { Seen } from "../model/columns/column";

type Labels = { readonly [key: string]: string | null | undefined } | null | undefined;

/** Formats labels such as `app=web,tier=front`; `<none>` when there are none. */
export const labelsText = (labels: Labels): string => pairs(labels) || "<none>";

/** Formats a selector as in a query; `<none>` when it is empty or absent, `<error>` when it is invalid. */
export const selectorText = (selector: Seen<metaV1.LabelSelector> | null | undefined): string =>
  queryText(selector) || "<none>";

/** Formats a selector as in a query; "" when it is empty or absent, `<error>` when it is invalid. */
export function queryText(selector: Seen<metaV1.LabelSelector> | null | undefined): string {
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
