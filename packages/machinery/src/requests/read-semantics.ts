// Which data a request may be answered from, and where a watch begins. Source: resource-api, "Resource version semantics".

export type ReadSemantics =
  /** As new as the store is now. */
  | { readonly kind: "mostRecent" }
  /** Whatever the cache holds. */
  | { readonly kind: "any" }
  | { readonly kind: "notOlderThan"; readonly resourceVersion: number }
  /** 410 once compacted. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export type WatchStart =
  | { readonly kind: "mostRecent" }
  | { readonly kind: "any" }
  /** Changes after this version. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export const MOST_RECENT: ReadSemantics & WatchStart = Object.freeze({ kind: "mostRecent" });
export const ANY: ReadSemantics & WatchStart = Object.freeze({ kind: "any" });
