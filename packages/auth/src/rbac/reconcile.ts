// Reconciles stored bootstrap policy without removing additions by operators. Source: Kubernetes documentation, "Using
// RBAC Authorization", "Auto-reconciliation".
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { uncovered } from "./covers";
import { roleRefOf, rulesOf, type Subject, subjectsOf } from "./policy";

export type BindingChange =
  | { readonly kind: "keep" }
  | { readonly kind: "update"; readonly object: JsonObject }
  /** The role of a binding is immutable: delete the stored binding, then create this one. */
  | { readonly kind: "replace"; readonly object: JsonObject };

/**
 * Returns the reconciled Role or ClusterRole: absent labels and annotations are added, missing rules and aggregation
 * selectors appended. When both sides aggregate, the rules are left to aggregation.
 * @param existing the stored object; it is not changed
 * @returns undefined when there is nothing to do, or the operator has disabled updates of this object
 */
export function reconcileRole(
  existing: JsonObject,
  wanted: JsonObject,
  vocabulary: Vocabulary,
): JsonObject | undefined {
  if (isProtected(existing, vocabulary)) return undefined;
  const { aggregationRule: existingAggregation, ...rest } = existing;
  const wantedAggregation = wanted["aggregationRule"];
  const bothAggregate = existingAggregation != null && wantedAggregation != null;
  const missing = bothAggregate ? [] : uncovered(rulesOf(wanted), rulesOf(existing));
  const updated = {
    ...rest,
    metadata: withMissingMetadata(existing, wanted),
    ...(wantedAggregation != null && { aggregationRule: withMissingSelectors(existingAggregation, wantedAggregation) }),
    ...(missing.length > 0 && { rules: [...rulesOf(existing), ...missing] }),
  };
  return isDeepStrictEqual(updated, existing) ? undefined : updated;
}

/**
 * Reconciles a RoleBinding or ClusterRoleBinding: absent labels and annotations are added, missing subjects appended.
 */
export function reconcileBinding(existing: JsonObject, wanted: JsonObject, vocabulary: Vocabulary): BindingChange {
  if (isProtected(existing, vocabulary)) return { kind: "keep" };
  if (!isDeepStrictEqual(roleRefOf(existing), roleRefOf(wanted))) return { kind: "replace", object: wanted };
  const held = subjectsOf(existing);
  const missing = subjectsOf(wanted).filter((subject) => !held.some((other) => sameSubject(other, subject)));
  const object = {
    ...existing,
    metadata: withMissingMetadata(existing, wanted),
    ...(missing.length > 0 && { subjects: [...held, ...missing] }),
  };
  return isDeepStrictEqual(object, existing) ? { kind: "keep" } : { kind: "update", object };
}

function isProtected(existing: JsonObject, { annotations }: Vocabulary): boolean {
  return child(child(existing, "metadata"), "annotations")[annotations.rbacAuthorizationAutoupdate] === "false";
}

function withMissingMetadata(existing: JsonObject, wanted: JsonObject): JsonObject {
  const metadata = { ...child(existing, "metadata") };
  for (const map of ["labels", "annotations"]) {
    const merged = { ...child(child(wanted, "metadata"), map), ...child(metadata, map) };
    if (Object.keys(merged).length > 0) metadata[map] = merged;
  }
  return metadata;
}

function withMissingSelectors(existing: JsonObject[string] | undefined, wanted: JsonObject[string]): JsonObject {
  const held = selectorsOf(existing);
  const missing = selectorsOf(wanted).filter((selector) => !held.some((other) => isDeepStrictEqual(other, selector)));
  return { clusterRoleSelectors: [...held, ...missing] };
}

function selectorsOf(aggregationRule: JsonObject[string] | undefined): JsonObject[] {
  return (((aggregationRule ?? {}) as JsonObject)["clusterRoleSelectors"] ?? []) as JsonObject[];
}

function sameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");
}

function child(object: JsonObject, field: string): JsonObject {
  return (object[field] ?? {}) as JsonObject;
}
