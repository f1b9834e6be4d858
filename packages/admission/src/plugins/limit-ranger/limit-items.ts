// Items of a limit range.
import { type JsonObject, parseQuantity, type Quantity } from "@orch/schema";
import { type Amounts, objectsIn, specOf, textsIn } from "../../pods/pod-parts";

export interface LimitItem {
  /** `Container`, `Pod`, `PersistentVolumeClaim`, or a type that the server does not interpret. */
  readonly type: string;
  readonly min: readonly Bound[];
  readonly max: readonly Bound[];
  readonly maxLimitRequestRatio: readonly Bound[];
  readonly default: Amounts;
  readonly defaultRequest: Amounts;
}

export type BoundList = "min" | "max" | "maxLimitRequestRatio";

/** Bound of one resource. The bounds of a list are in the order of their names. */
export interface Bound {
  readonly name: string;
  /** Canonical quantity. */
  readonly text: string;
  readonly amount: Quantity;
}

const known = new WeakMap<JsonObject, readonly LimitItem[]>();

/** Returns the items; cached by object, which must not change. */
export function itemsOf(range: JsonObject): readonly LimitItem[] {
  let items = known.get(range);
  if (items === undefined) {
    items = objectsIn(specOf(range) ?? {}, "limits").map((item) => ({
      type: String(item["type"] ?? ""),
      min: bounds(item, "min"),
      max: bounds(item, "max"),
      maxLimitRequestRatio: bounds(item, "maxLimitRequestRatio"),
      default: textsIn(item, "default"),
      defaultRequest: textsIn(item, "defaultRequest"),
    }));
    known.set(range, items);
  }
  return items;
}

const bounds = (item: JsonObject, list: string): readonly Bound[] =>
  Object.entries(textsIn(item, list))
    .map(([name, text]) => ({ name, text, amount: quantityOf(text) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

export const ZERO: Quantity = { nanos: 0n, format: "DecimalSI" };

/** Parses a quantity. @param text from a decoded object, and so a valid quantity */
export const quantityOf = (text: string): Quantity => parseQuantity(text) ?? ZERO;
