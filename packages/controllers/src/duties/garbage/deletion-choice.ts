// What is to be done about an object, by what became of its owners. Source: facts, controllers.md "Deleting an item".
import { FOREGROUND, ORPHAN, type OwnerReference } from "@orch/machinery";

/** An owner is there, or gone, or waits for its dependents to go first. */
export type OwnerState = "solid" | "absent" | "waiting";

export interface OwnerFinding {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type Choice =
  | { readonly kind: "keep" }
  /** Somebody still owns it: only the references to the others go. */
  | { readonly kind: "dropReferences"; readonly uids: readonly string[] }
  /** @param unblock its own references no longer block: it may wait for an owner that waits for it */
  | { readonly kind: "delete"; readonly policy: "Foreground" | "Background" | "Orphan"; readonly unblock: boolean };

export interface DependentsView {
  readonly some: boolean;
  /** One of them waits for dependents of its own: perhaps a circle. */
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
