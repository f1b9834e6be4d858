// Values that only one object may hold, such as IP addresses and ports. Each claim is a key of its own in the store,
// written and removed in the transaction of its object. Any number of replicas can allocate without coordination.
import type { JsonObject } from "@orch/schema";
import type { FieldError } from "../errors/field-error";

/** Key of a claim under the root of all keys: `ranges/serviceips/10.0.0.7`. */
export type Claim = string;

export interface Claims {
  /** Key prefixes of the claims, with two segments each: `ranges/serviceips`. They contain nothing else. */
  readonly places: readonly string[];
  /** Returns the claims of an object in the storage version, without duplicates. */
  readonly held: (object: JsonObject) => readonly Claim[];
  /**
   * Allocates the values that the object needs and does not set, and checks those that it sets.
   * @param next valid and prepared; modified in place
   * @param old undefined for a new object
   * @returns one error for each value that cannot be claimed
   * @throws StatusError InternalError (500) when no value is free
   */
  readonly allocate: (next: JsonObject, old: JsonObject | undefined, world: ClaimWorld) => readonly FieldError[];
  /**
   * Reports whether a claim is in the ranges for current allocation. Claims allocated earlier may be outside of them.
   */
  readonly isOffered?: (claim: Claim) => boolean;
  /** Returns the keys of objects that are deleted with this one: `core/endpoints/<namespace>/<name>`. */
  readonly removedAlong?: (object: JsonObject) => readonly string[];
}

export interface ClaimWorld {
  /** Reports whether another object holds a claim, as far as this server knows; the transaction decides. */
  taken(claim: Claim): boolean;
  /** Returns the number of claims that are held under a prefix. */
  count(place: string): number;
  /** Returns a random number in [0, 1). */
  random(): number;
  /** The result will not be stored. */
  readonly dryRun: boolean;
}
