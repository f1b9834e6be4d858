// Deletion behaviour of a resource: grace period, termination and finalizers. Same role as the deletion strategies in
// staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go.
import type { JsonObject } from "@orch/schema";

/**
 * Deletion rules of a resource. Each part is absent when the resource has the default behaviour. All functions are
 * pure.
 */
export interface DeletionRules {
  /** Ignores the propagation policy of deletions: no finalizer for dependents is ever added. */
  readonly ignoresDependents?: true;
  /**
   * Prepares the object on its first deletion, for example by adding a finalizer. The result shares unchanged parts
   * with the argument.
   */
  readonly prepared?: (object: JsonObject, nowMs: number) => JsonObject;
  /** Returns the reason why an object may not be deleted, or undefined when it may. */
  readonly refusal?: (object: JsonObject) => string | undefined;
  /**
   * Returns the grace period of a live object in seconds; 0 for none. A resource without this function is deleted
   * immediately.
   * @param asked the request's gracePeriodSeconds, if given
   */
  readonly graceSeconds?: (object: JsonObject, asked: number | undefined) => number;
  readonly termination?: Termination;
}

/** Termination of resources whose first deletion only starts a process that controllers finish, such as namespaces. */
interface Termination {
  /** Returns the terminating object; shares unchanged parts with its argument. */
  readonly begun: (object: JsonObject) => JsonObject;
  /** Reports whether only metadata.finalizers still hold the object. */
  readonly isOver: (object: JsonObject) => boolean;
}
