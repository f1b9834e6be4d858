// Consistency of reads, start of watches, and the resource versions that select them. Source: "Resource versions" in Kubernetes API concepts.

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

/**
 * Parses a resource version of a client: "" (unset), "0" (any), or a store revision, which counts writes. A plain number
 * is sufficient: 2^53 writes take 28,000 years at 10,000 per second.
 * @returns 0 for "" and "0"; undefined when the text is not a decimal number up to 2^53
 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === "") return 0;
  if (!DECIMAL.test(text)) return undefined;
  const revision = Number(text);
  return Number.isSafeInteger(revision) ? revision : undefined;
}

const DECIMAL = /^\d{1,20}$/;

/** Returns the error text for an invalid resource version. */
export const resourceVersionProblem = (text: string): string =>
  `${JSON.stringify(text.slice(0, 64))} is not a decimal number up to 2^53`;
