// Things of which every object may hold some and no two objects the same: addresses, ports. Each is a key of its own in the store,
// written and removed in the transaction of its object, so that any number of replicas allocate without asking each other.
// Source: architecture, "Writes".
import type { JsonObject } from "@orch/schema";
import type { FieldError } from "../errors/field-error";

/** Where a claim's key lies under the root of all keys: `ranges/serviceips/10.0.0.7`. */
export type Claim = string;

export interface Claims {
  /** Where the keys lie, two parts each: `ranges/serviceips`. Nothing else lies there. */
  readonly places: readonly string[];
  /** What an object of the storage version holds; each at most once. */
  readonly held: (object: JsonObject) => readonly Claim[];
  /**
   * Fills in what the object needs and does not name, and checks what it names.
   * @param next valid and prepared; changed in place
   * @param old undefined for a new object
   * @returns an error for each thing named that cannot be had
   * @throws StatusError InternalError (500) when nothing is left
   */
  readonly allocate: (next: JsonObject, old: JsonObject | undefined, world: ClaimWorld) => readonly FieldError[];
  /** Whether it is one of those that are given away now; one that was given earlier need not be. */
  readonly isOffered?: (claim: Claim) => boolean;
  /** Keys of objects that have no meaning without this one, and go with it: `core/endpoints/<namespace>/<name>`. */
  readonly removedAlong?: (object: JsonObject) => readonly string[];
}

export interface ClaimWorld {
  /** Whether another object holds a claim, as far as this server knows; the transaction has the last word. */
  taken(claim: Claim): boolean;
  /** Claims of a place that are held at present. */
  count(place: string): number;
  /** From 0 to below 1. */
  random(): number;
  /** Nothing of it will be stored. */
  readonly dryRun: boolean;
}
