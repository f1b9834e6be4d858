// The finalizers by which an object waits until its dependents are left alone, or gone. Source: facts, http.md "Delete".
import type { Propagation } from "../requests/delete-options";

/** Finalizers that say how dependents fare: kept as orphans, or removed first. */
export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/**
 * An object's finalizers once its deletion has been asked for.
 * @param orphansByDefault what the version that the request speaks does where neither request nor object say anything
 */
export function finalizersOfDeletion(
  finalizers: readonly string[],
  propagation: Propagation,
  orphansByDefault: boolean,
): readonly string[] {
  const wanted = finalizerFor(propagation, finalizers) ?? (orphansByDefault ? ORPHAN : NONE);
  const others = finalizers.filter((name) => !isForDependents(name));
  return wanted === NONE ? others : [...others, wanted];
}

const NONE = "";

/** @returns undefined where nobody has said anything */
function finalizerFor(propagation: Propagation, finalizers: readonly string[]): string | undefined {
  switch (propagation.kind) {
    case "orphanDependents":
      return propagation.orphan ? ORPHAN : NONE;
    case "policy":
      return FINALIZER_OF[propagation.policy];
    case "default":
      return finalizers.find(isForDependents);
  }
}

const FINALIZER_OF = { Orphan: ORPHAN, Foreground: FOREGROUND, Background: NONE } as const;

const isForDependents = (name: string): boolean => name === ORPHAN || name === FOREGROUND;
