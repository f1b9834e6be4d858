// Consistency of reads, and start of watches. Source: "Resource versions" in Kubernetes API concepts.

/** Consistency of a get. */
export type GetSemantics =
  /** The current state of the store. */
  | { readonly kind: "mostRecent" }
  /** Any state in the cache. */
  | { readonly kind: "any" }
  | { readonly kind: "notOlderThan"; readonly resourceVersion: number };

/** Consistency of a list. */
export type ReadSemantics =
  | GetSemantics
  /** The state at this version; 410 once it is compacted. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export type WatchStart =
  | { readonly kind: "mostRecent" }
  | { readonly kind: "any" }
  /** Changes after this version. */
  | { readonly kind: "exact"; readonly resourceVersion: number };

export const MOST_RECENT: GetSemantics & WatchStart = Object.freeze({ kind: "mostRecent" });
export const ANY: GetSemantics & WatchStart = Object.freeze({ kind: "any" });
