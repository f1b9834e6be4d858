// What the evaluator sees of the stored roles and bindings.
import type { JsonObject } from "@orch/schema";

/**
 * Answered from the watch cache, at once. Objects are of the storage version and are not changed by anyone; while an object has
 * not changed, the same one is returned.
 */
export interface RbacView {
  /** Another number whenever any role or binding has changed. */
  readonly version: number;
  clusterRole(name: string): JsonObject | undefined;
  role(namespace: string, name: string): JsonObject | undefined;
  clusterRoleBindings(): Iterable<JsonObject>;
  roleBindings(namespace: string): Iterable<JsonObject>;
}
