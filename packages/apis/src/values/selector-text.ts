// Labels and selectors as tables show them. Source: facts, columns.json "LABELS", "SELECTOR".
import { labelSelectorErrors, labelSelectorOfObject, labelSelectorText } from "@orch/machinery";
import type { JsonObject, metaV1 } from "@orch/schema";
import type { Seen } from "../model/columns/column";

type Labels = { readonly [key: string]: string | null | undefined } | null | undefined;

/** `app=web,tier=front`; `<none>` where there are no labels. */
export const labelsText = (labels: Labels): string => pairs(labels) || "<none>";

/** As a query would say it; `<none>` for one that is empty or absent, `<error>` for one that cannot be understood. */
export const selectorText = (selector: Seen<metaV1.LabelSelector> | null | undefined): string =>
  queryText(selector) || "<none>";

/** A selector as a query would say it; "" for one that is empty or absent, `<error>` for one that cannot be understood. */
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
