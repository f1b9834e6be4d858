// Reasons why an object cannot be deleted, or is not deleted yet although its deletion was requested.
import type { ApiObject } from "../values/api-object";

export interface Dependent {
  readonly kind: string;
  readonly name: string;
  /** Whether it blocks the deletion of its owner in the foreground. */
  readonly isBlocking: boolean;
}

export interface DeletionView {
  readonly object: ApiObject;
  /** Name of the annotation. */
  readonly protection: string;
  /** The namespace of the object, where it can be read. */
  readonly namespace?: ApiObject | undefined;
  readonly dependents: readonly Dependent[];
}

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";
/** Dependents that a reason names. */
const NAMED = 5;

/** Returns the reasons as sentences, each with its remedy. Empty when nothing stands against a deletion. */
export function deletionReasons({ object, protection, namespace, dependents }: DeletionView): string[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [], annotations = {} } = object.metadata;
  if (deletionTimestamp === undefined) {
    return [
      ...(annotations[protection] === "true"
        ? [`The object is protected by the annotation ${protection}. Remove the annotation to delete it.`]
        : []),
      ...(namespace?.metadata.annotations?.[protection] === "true"
        ? [`Its namespace is protected by the annotation ${protection}. Remove the annotation from the namespace.`]
        : []),
      ...(finalizers.length > 0
        ? [`After a deletion the object stays until these finalizers are removed: ${finalizers.join(", ")}.`]
        : []),
    ];
  }
  return [
    `The deletion was requested at ${deletionTimestamp}.`,
    ...(deletionGracePeriodSeconds > 0
      ? [
          `It is carried out after a grace period of ${deletionGracePeriodSeconds} s, or when the node agent confirms it.`,
        ]
      : []),
    ...finalizers.map((finalizer) => finalizerReason(finalizer, dependents)),
  ];
}

function finalizerReason(finalizer: string, dependents: readonly Dependent[]): string {
  if (finalizer === ORPHAN) return "The garbage collector removes the owner references of its dependents first.";
  if (finalizer !== FOREGROUND)
    return `The finalizer ${finalizer} waits for its controller, which has not removed it yet. Check that the controller runs.`;
  const blocking = dependents.filter((each) => each.isBlocking);
  if (blocking.length === 0) return "The garbage collector deletes its dependents first.";
  const named = blocking.slice(0, NAMED).map(({ kind, name }) => `${kind} ${name}`);
  const more = blocking.length > NAMED ? ` and ${blocking.length - NAMED} more` : "";
  return `The garbage collector deletes its dependents first. These block it: ${named.join(", ")}${more}.`;
}
