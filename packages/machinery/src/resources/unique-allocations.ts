// Values that only one object may hold, such as IP addresses and ports. Each allocation is a key of its own in the
// store, written and removed in the transaction of its object. Any number of replicas can allocate without
// coordination.
import type { JsonObject } from "@orch/schema";
import type { FieldError } from "../errors/field-error";

/** Key of an allocation under the root of all keys: `ranges/serviceips/10.0.0.7`. */
export type AllocationKey = string;

export interface UniqueAllocations {
  /** Key prefixes of the allocations, with two segments each: `ranges/serviceips`. They contain nothing else. */
  readonly places: readonly string[];
  /** Returns the allocations of an object in the storage version, without duplicates. */
  readonly held: (object: JsonObject) => readonly AllocationKey[];
  /**
   * Allocates the values that the object needs and does not set, and checks those that it sets.
   * @param next valid and prepared; modified in place
   * @param old undefined for a new object
   * @returns one error for each value that cannot be allocated
   * @throws StatusError InternalError (500) when no value is free
   */
  readonly allocate: (next: JsonObject, old: JsonObject | undefined, world: AllocationContext) => readonly FieldError[];
  /**
   * Reports whether an allocation is in the current ranges. Allocations allocated earlier may be
   * outside of them.
   */
  readonly isOffered?: (allocation: AllocationKey) => boolean;
  /** Returns the keys of objects that are deleted with this one: `core/endpoints/<namespace>/<name>`. */
  readonly removedAlong?: (object: JsonObject) => readonly string[];
}

export interface AllocationContext {
  /** Reports whether another object holds an allocation, as far as this server knows; the transaction decides. */
  taken(allocation: AllocationKey): boolean;
  /** Returns the number of allocations that are held under a prefix. */
  count(place: string): number;
  /** Returns a random number in [0, 1). */
  random(): number;
  /** The result will not be stored. */
  readonly dryRun: boolean;
}
