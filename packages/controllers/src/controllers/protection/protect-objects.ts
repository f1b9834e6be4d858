// Protection of objects in use: a finalizer keeps each object until it is deleted and no longer used.
// Source: Kubernetes documentation, "Persistent Volumes", "Storage Object in Use Protection".
import {
  type Client,
  type Informer,
  keyOf,
  type QueueMetrics,
  type ResourceType,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { isBeingDeleted, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { retryConflicts } from "../../framework/write-errors";

export interface ProtectionContext {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
}

export interface Protected<T extends object> {
  readonly type: ResourceType<T>;
  readonly finalizer: string;
  readonly objects: Informer<T>;
  /** Returns whether the object is in use, according to the server and not only to a cache. */
  isInUse(object: T): boolean | Promise<boolean>;
}

const WORKERS = 5;

export function protectionQueue({ metrics }: ProtectionContext, name: string): WorkQueue<string> {
  return new WorkQueue({ metrics: metrics?.(name) });
}

/** Runs the controller until the signal is aborted. */
export function protectObjects<T extends object>(
  { client }: ProtectionContext,
  of: Protected<T>,
  queue: WorkQueue<string>,
  signal: AbortSignal,
): Promise<void> {
  const { objects, finalizer } = of;
  const look = (object: T) => {
    if (isBeingDeleted(object as JsonObject) === isHeld(object, finalizer)) queue.add(keyOf(object));
  };
  objects.addHandler({ added: look, updated: (_before, after) => look(after) });

  /** Adds the finalizer to an object that is not deleted, and removes it from a deleted one that is not in use. */
  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = splitKey(key);
    const resource = namespace === "" ? client.resource(of.type) : client.resource(of.type).namespace(namespace);
    await retryConflicts(async () => {
      const object = await resource.find(name);
      if (object === undefined) return;
      const isDeleted = isBeingDeleted(object as JsonObject);
      if (isDeleted !== isHeld(object, finalizer) || (isDeleted && (await of.isInUse(object)))) return;
      const { finalizers = [] } = metaOf(object as JsonObject);
      const kept = isDeleted ? finalizers.filter((each) => each !== finalizer) : [...finalizers, finalizer];
      await resource.update({ ...object, metadata: { ...metaOf(object as JsonObject), finalizers: kept } });
    });
  }

  return runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
}

const isHeld = (object: object, finalizer: string): boolean =>
  (metaOf(object as JsonObject).finalizers ?? []).includes(finalizer);
