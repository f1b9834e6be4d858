// Maximum size of values: of the object's parts as limited by the schema, and of the results of functions.
import type { Range } from "./cost-model";

/** Size of a value in characters, elements or entries, and the extents of its content. */
export interface Extent extends Range {
  readonly item?: Extent;
  /** Extent of a map's keys. */
  readonly key?: Extent;
  readonly fields?: ReadonlyMap<string, Extent>;
}

export const SINGLE: Extent = { min: 1, max: 1 };
/** Extent of a text made by a function without a size limit. */
export const UNBOUNDED: Extent = { min: 0, max: Number.POSITIVE_INFINITY };

/** Returns an extent that covers both. */
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
