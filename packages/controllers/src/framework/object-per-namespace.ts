// Keeps one object with a fixed name in every namespace that is not terminating.
import {
  builtInTypes,
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode, namespaceOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { isOfEndingNamespace } from "./write-errors";

export interface OneInEachNamespace<T extends object> {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** Name of the work queue in metrics. */
  readonly queue: string;
  readonly type: ResourceType<T>;
  readonly name: string;
  make(namespace: string): T;
  /** Returns the corrected object; undefined when it is correct. Absent: existing objects are not changed. */
  mend?(found: T): T | undefined;
  /** Calls `changed` when the wanted objects change. */
  follow?(changed: () => void, signal: AbortSignal): void;
}

const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 50, burst: 500 };
const RESYNC_MS = 5 * 60_000;
const WORKERS = 10;

/** Runs the controller until the signal is aborted. */
export async function maintainObjectPerNamespace<T extends object>(
  { client, metrics, queue: queueName, type, name, make, mend, follow }: OneInEachNamespace<T>,
  signal: AbortSignal,
): Promise<void> {
  const factory = new InformerFactory(client, { resyncMs: RESYNC_MS });
  const queue = new WorkQueue({
    retries: RETRIES,
    metrics: metrics?.(queueName),
  });
  const namespaces = factory.informer(builtInTypes(client.vocabulary).namespaces);
  const kept = factory.informer(type, {
    fieldSelector: `metadata.name=${name}`,
    ...(mend === undefined ? { part: "metadata" } : {}),
  });
  const look = (namespace: object) => queue.add(keyOf(namespace));
  namespaces.addHandler({ added: look, updated: (_before, after) => look(after) });
  const lookBehind = (object: object) => queue.add(namespaceOf(object as JsonObject));
  kept.addHandler({ updated: (_before, after) => lookBehind(after), deleted: lookBehind });
  factory.start(signal);
  await factory.synced(signal).catch(() => {});

  follow?.(() => {
    for (const namespace of namespaces.store.values()) look(namespace);
  }, signal);

  async function reconcile(namespace: string): Promise<undefined> {
    if (namespaces.store.get(namespace)?.status?.phase !== "Active") return;
    const found = kept.store.get(`${namespace}/${name}`);
    const objects = client.resource(type).namespace(namespace);
    try {
      if (found === undefined) await objects.create(make(namespace));
      else {
        const mended = mend?.(found);
        if (mended !== undefined) await objects.update(mended);
      }
    } catch (error) {
      // The object has changed, and the watch reports it; or the namespace is gone or terminating.
      if (!isCode(error, 409, 404) && !isOfEndingNamespace(error)) throw error;
    }
  }
  await runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
  await factory.stopped();
}
