// Decides what to do with an object, based on the state of its owners. Source:
// pkg/controller/garbagecollector/garbagecollector.go, `attemptToDeleteItem`.
import { FOREGROUND, ORPHAN, type OwnerReference } from "@orch/machinery";

/** State of an owner: present, absent, or waiting for the deletion of its dependents. */
export type OwnerState = "solid" | "absent" | "waiting";

export interface OwnerFinding {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type Choice =
  | { readonly kind: "keep" }
  /** The object still has an owner: only the references to the others are removed. */
  | { readonly kind: "dropReferences"; readonly uids: readonly string[] }
  /** @param unblock whether the object's own references stop blocking: it may wait for an owner that waits for it */
  | { readonly kind: "delete"; readonly policy: "Foreground" | "Background" | "Orphan"; readonly unblock: boolean };

export interface DependentsView {
  readonly some: boolean;
  /** Whether one of them waits for dependents of its own, which may be a cycle. */
  readonly oneWaits: boolean;
}

export function choose(
  owners: readonly OwnerFinding[],
  finalizers: readonly string[],
  dependents: DependentsView,
): Choice {
  if (owners.length === 0) return { kind: "keep" };
  const lost = owners.filter(({ state }) => state !== "solid").map(({ reference }) => reference.uid ?? "");
  if (lost.length < owners.length) return lost.length === 0 ? { kind: "keep" } : { kind: "dropReferences", uids: lost };
  if (dependents.some && owners.some(({ state }) => state === "waiting")) {
    return { kind: "delete", policy: "Foreground", unblock: dependents.oneWaits };
  }
  return { kind: "delete", policy: policyOf(finalizers), unblock: false };
}

function policyOf(finalizers: readonly string[]): "Foreground" | "Background" | "Orphan" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
