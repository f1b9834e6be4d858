// Which data a request may be answered from, and where a watch begins. Source: resource-api, "Resource version semantics".

/** Of one object. */
export type GetSemantics =
  /** As new as the store is now. */
  | { readonly kind: "mostRecent" }
  /** Whatever the cache holds. */
  | { readonly kind: "any" }
  | { readonly kind: "notOlderThan"; readonly resourceVersion: number };

/** Of a list. */
export type ReadSemantics =
  | GetSemantics
  /** 410 once compacted. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export type WatchStart =
  | { readonly kind: "mostRecent" }
  | { readonly kind: "any" }
  /** Changes after this version. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export const MOST_RECENT: GetSemantics & WatchStart = Object.freeze({ kind: "mostRecent" });
export const ANY: GetSemantics & WatchStart = Object.freeze({ kind: "any" });
