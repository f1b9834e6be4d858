// How large a value may become: what the schema allows for the parts of the object, and what functions make of them.
import type { Range } from "./cost-model";

/** Its size in characters, elements or entries, and how large what it holds may be. */
export interface Extent extends Range {
  readonly item?: Extent;
  /** Of a map's names. */
  readonly key?: Extent;
  readonly fields?: ReadonlyMap<string, Extent>;
}

export const SINGLE: Extent = { min: 1, max: 1 };
/** Of a text that is made in the expression, by means whose results are not bounded. */
export const UNBOUNDED: Extent = { min: 0, max: Number.POSITIVE_INFINITY };

/** The larger of what two values may be. */
export function eitherExtent(a: Extent | undefined, b: Extent | undefined): Extent {
  if (a === undefined || b === undefined) return a ?? b ?? SINGLE;
  if (a === b) return a;
  const item = a.item ?? b.item;
  const key = a.key ?? b.key;
  return {
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    ...(item === undefined ? {} : { item: eitherExtent(a.item, b.item) }),
    ...(key === undefined ? {} : { key: eitherExtent(a.key, b.key) }),
    ...(a.fields === undefined && b.fields === undefined
      ? {}
      : { fields: a.fields ?? (b.fields as ReadonlyMap<string, Extent>) }),
  };
}
