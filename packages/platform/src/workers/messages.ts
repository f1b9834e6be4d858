// What a supervisor and its workers say to each other.

/** The metrics of a process in a form that another one can add to its own: a text for each. The supervisor only passes them on. */
export type Snapshot = readonly string[];

/** What others have counted. */
export interface Gathered {
  readonly others: readonly Snapshot[];
  /** Of those that are no more. */
  readonly gone: readonly Snapshot[];
  /** How often `gone` has been made one. */
  readonly folds: number;
}

export type ToWorker =
  /** End in good order. `all`: the whole group ends; else others go on in its place. */
  | { readonly kind: "leave"; readonly all: boolean }
  /** Send so many clients on to connect anew. */
  | { readonly kind: "shed"; readonly connections: number }
  | { readonly kind: "asked"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly what: Gathered }
  /** At what one worker may do at a time. */
  | { readonly kind: "turn"; readonly at: string };

export type ToSupervisor =
  /** It hears from now on; what was said before is lost. */
  | { readonly kind: "here" }
  | { readonly kind: "ready" }
  | { readonly kind: "connections"; readonly count: number }
  /** What do the others have? With what it has itself. */
  | { readonly kind: "gather"; readonly id: number; readonly own: Snapshot }
  | { readonly kind: "told"; readonly id: number; readonly own: Snapshot }
  /** The first `count` of those that were gone after so many folds are now one. */
  | { readonly kind: "folded"; readonly folds: number; readonly count: number; readonly into: Snapshot }
  /** The last that it has counted. */
  | { readonly kind: "last"; readonly own: Snapshot }
  | { readonly kind: "wantsTurn"; readonly at: string }
  | { readonly kind: "turnOver"; readonly at: string };
