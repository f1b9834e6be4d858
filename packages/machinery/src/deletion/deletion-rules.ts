// What a kind says about the end of its objects. Source: facts, strategy.json "gracefulRules", "gcDefault" and "namespaces".
import type { JsonObject } from "@orch/schema";

/** Each part absent where the kind is like any other. All functions are pure. */
export interface DeletionRules {
  /** What a deletion says about dependents is ignored, and no finalizer is ever added for them. */
  readonly ignoresDependents?: true;
  /** The object as its first deletion finds it: with what has to be done before it goes, such as a finalizer. Shares what does not change. */
  readonly prepared?: (object: JsonObject, nowMs: number) => JsonObject;
  /** Why an object may not be deleted at all; undefined for one that may. */
  readonly refusal?: (object: JsonObject) => string | undefined;
  /**
   * The seconds that a live object is given to stop by itself; 0: none. A kind without this goes at once.
   * @param asked what the request says, if it says anything
   */
  readonly graceSeconds?: (object: JsonObject, asked: number | undefined) => number;
  readonly termination?: Termination;
}

/** Of kinds whose first deletion only begins an end that others bring about. */
export interface Termination {
  /** The object as it looks from now on; shares what does not change with its argument. */
  readonly begun: (object: JsonObject) => JsonObject;
  /** Whether nothing but the finalizers in the metadata holds the object any more. */
  readonly isOver: (object: JsonObject) => boolean;
}
