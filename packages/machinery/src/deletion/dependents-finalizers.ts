// Finalizers that hold an object until its dependents are orphaned or deleted. Source: "Garbage Collection" in the
// Kubernetes documentation.
import type { Propagation } from "../requests/delete-options";

/** Finalizers processed by the garbage collector: orphan the dependents, or delete them first. */
export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/**
 * Returns an object's finalizers after a deletion request.
 * @param orphansByDefault default of the request's version when neither the request nor the object's finalizers decide
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

/** Returns the finalizer for dependents, NONE for background deletion, or undefined when nothing decides. */
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
