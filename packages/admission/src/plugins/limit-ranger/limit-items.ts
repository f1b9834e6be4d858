// What a range says of each kind of thing.
import { type JsonObject, parseQuantity, type Quantity } from "@orch/schema";
import { type Amounts, objectsIn, specOf, textsIn } from "../../pods/pod-parts";

export interface LimitItem {
  /** `Container`, `Pod`, `PersistentVolumeClaim`, or what others make of it. */
  readonly type: string;
  readonly min: readonly Bound[];
  readonly max: readonly Bound[];
  readonly maxLimitRequestRatio: readonly Bound[];
  readonly default: Amounts;
  readonly defaultRequest: Amounts;
}

export type BoundList = "min" | "max" | "maxLimitRequestRatio";

/** Of one resource; those of a list stand in the order of their names. */
export interface Bound {
  readonly name: string;
  /** Canonical. */
  readonly text: string;
  readonly amount: Quantity;
}

const known = new WeakMap<JsonObject, readonly LimitItem[]>();

/** The same for the same object, which nobody changes. */
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

/** @param text of a decoded object, which is a quantity */
export const quantityOf = (text: string): Quantity => parseQuantity(text) ?? ZERO;
