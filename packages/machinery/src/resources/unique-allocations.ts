// Values that only one object may hold, such as IP addresses and ports. Each allocation is a key of its own in the
// store, written and removed in the transaction of its object. Any number of replicas can allocate without
// coordination.
import type { JsonObject } from "@orch/schema";
import type { FieldError } from "../errors/field-error";
import type { GroupResource } from "../names/group-names";

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
  /** Resources whose objects decide what can be allocated: see `AllocationContext.objects`. */
  readonly reads?: readonly GroupResource[];
  /** Objects that represent allocations in the API. Absent: none. */
  readonly companions?: AllocationCompanions;
  /**
   * Returns the key, below the root, of the object that holds the allocation in place of this one, if any. An object
   * takes and releases only allocations that no such holder has recorded. Absent: none has.
   */
  readonly holderBehind?: (object: JsonObject) => string | undefined;
  /**
   * Reports whether an allocation is in the current ranges. Allocations allocated earlier may be
   * outside of them.
   */
  readonly isOffered?: (allocation: AllocationKey, world: Pick<AllocationContext, "objects">) => boolean;
  /** Returns the keys of objects that are deleted with this one: `core/endpoints/<namespace>/<name>`. */
  readonly removedAlong?: (object: JsonObject) => readonly string[];
}

/**
 * Objects of another resource that represent allocations, such as the IPAddress of a cluster IP. Each is written and
 * removed in the transaction of its allocation.
 */
export interface AllocationCompanions {
  readonly resource: GroupResource;
  /** Returns the companion of an allocation; undefined when it has none. @param holder the object that takes it */
  readonly of: (allocation: AllocationKey, holder: JsonObject) => Companion | undefined;
  /** Returns the name of the companion of an allocation; undefined when it has none. */
  readonly nameOf: (allocation: AllocationKey) => string | undefined;
  /** Whether an object of the resource is a companion, which is replaced when its allocation is free. */
  readonly isCompanion: (object: JsonObject) => boolean;
  /** Whether a companion belongs to a holder, whose deletion removes it. */
  readonly belongsTo: (companion: JsonObject, holder: JsonObject) => boolean;
}

/** An object as one of a fixed set of models, whose encoded form is cached, and the texts that differ. */
export interface Companion {
  readonly name: string;
  /** The object, in which `{0}`, `{1}` and so on stand for the values. They occur in names and references only. */
  readonly model: JsonObject;
  readonly values: readonly string[];
}

/** The present objects of a resource. */
export interface PresentObjects {
  /** Identifies this state of the objects. */
  readonly state: object;
  readonly all: () => readonly JsonObject[];
}

/** An attempt to allocate one value to an object. */
export interface AllocationAttempt {
  /** Range of the address; undefined for a port. */
  readonly range: { readonly text: string; contains(address: string): boolean } | undefined;
  /** Number of values in the range. */
  readonly size: number;
  /** Whether the object names the value. */
  readonly isRequested: boolean;
  readonly succeeded: boolean;
  readonly seconds: number;
}

export interface AllocationContext {
  /** Receives the attempts to allocate. Absent: they are not counted, because the result will not be stored. */
  readonly attempted?: (attempt: AllocationAttempt) => void;
  /** Reports whether another object holds an allocation, as far as this server knows; the transaction decides. */
  taken(allocation: AllocationKey): boolean;
  /** Returns the number of allocations that are held under a prefix. */
  count(place: string): number;
  /** Returns the key, below the root, of the object that holds an allocation, as far as this server knows. */
  holder(allocation: AllocationKey): string | undefined;
  /** Returns the present objects of a resource of `reads`; undefined when the server does not have the resource. */
  objects(resource: GroupResource): PresentObjects | undefined;
  /** Returns a random number in [0, 1). */
  random(): number;
  /** The result will not be stored. */
  readonly dryRun: boolean;
}
