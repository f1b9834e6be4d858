// Deletion of a custom resource definition: its objects are deleted first, and the condition Terminating shows the
// progress.
import { withCondition } from "@orch/apis";
import type { Clock } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { DefinitionWriter } from "./definition-writer";
import { deleteInstances } from "./instance-cleanup";
import type { ResourceHost } from "./resource-host";

export interface CleanUpParts {
  /** Name of the definition. */
  readonly name: string;
  /** Undefined when the definition was never served; without storage when another resource has its path. */
  readonly served: { readonly storage: ResourceStorage | undefined } | undefined;
  readonly writer: DefinitionWriter;
  readonly host: ResourceHost;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Status, reason and message of a condition. */
type Said = readonly ["True" | "False", string, string];

const PROGRESS_MS = 5000;

/**
 * Deletes the objects and releases the definition.
 * @throws StatusError when objects could not be deleted, or the status could not be written
 */
export async function cleanUp(parts: CleanUpParts): Promise<void> {
  const { name, served, writer, host, vocabulary, clock, pause, random, signal } = parts;
  const terminating = (status: JsonObject, [state, reason, message]: Said) =>
    withCondition(status, { type: "Terminating", status: state, reason, message }, clock.now());
  const finalizer = vocabulary.finalizers.customresourcecleanupApiextensions;
  const release = (reason: string, message: string) =>
    writer.change(name, ({ status, finalizers }) => ({
      status: terminating(status, ["False", reason, message]),
      finalizers: finalizers.filter((each) => each !== finalizer),
    }));
  if (served === undefined) return release("NeverEstablished", "resource was never established");
  const { storage } = served;
  if (storage === undefined)
    return release("OverlappingBuiltInResource", "instances overlap with built-in resources in storage");
  let toldMs = Number.NEGATIVE_INFINITY;
  await deleteInstances({
    storage,
    remove: (of) => host.delete(storage, of),
    progress: async (left) => {
      if (clock.elapsed() - toldMs < PROGRESS_MS) return;
      toldMs = clock.elapsed();
      const message = `CustomResource deletion is in progress: ${left} left`;
      await writer.change(name, ({ status }) => ({
        status: terminating(status, ["True", "InstanceDeletionInProgress", message]),
      }));
    },
    pause,
    random,
    signal,
  });
  await release("InstanceDeletionCompleted", "removed all instances");
}
