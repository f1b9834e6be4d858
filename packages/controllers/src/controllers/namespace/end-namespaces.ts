// Namespace controller: empties namespaces that are being deleted, and removes their finalizer when nothing is left.
// Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
// There is no pause before the first pass: the server rejects creations in a namespace once its deletion is stored.

import {
  builtInTypes,
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { retryConflicts } from "../../framework/write-errors";
import { conditionsFor } from "./namespace-conditions";
import { type Emptied, emptyNamespace } from "./namespace-content";

const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 10, burst: 100 };
/** Pause while objects wait for their finalizers. */
const AWAIT_FINALIZERS_MS = 5_000;

export interface NamespaceControllerOptions {
  readonly client: Client;
  /** Release of the server. */
  readonly release: string;
  readonly workers: number;
  /** 0: never. */
  readonly resyncMs: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
export async function endNamespaces(options: NamespaceControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, release, workers, resyncMs, metrics } = options;
  const factory = new InformerFactory(client, { resyncMs });
  const queue = new WorkQueue({
    retries: RETRIES,
    metrics: metrics?.("namespace"),
  });
  const look = (namespace: coreV1.Namespace) => {
    if (namespace.metadata?.deletionTimestamp) queue.add(keyOf(namespace));
  };
  factory
    .informer(builtInTypes(client.vocabulary).namespaces)
    .addHandler({ added: look, updated: (_before, after) => look(after) });
  factory.start(signal);
  await runWorkers({
    queue,
    workers,
    signal,
    log: client.log,
    reconcile: (name) => endNamespace(client, release, name),
  });
  await factory.stopped();
}

/**
 * Makes one attempt.
 * @throws Error when the work should be retried soon
 */
async function endNamespace(client: Client, release: string, name: string): Promise<RequeueAfter | undefined> {
  const namespaces = client.resource(builtInTypes(client.vocabulary).namespaces);
  const seen = await namespaces.find(name);
  if (!seen?.metadata?.deletionTimestamp || (seen.spec?.finalizers ?? []).length === 0) return undefined;
  await writeStatus(client, seen, (status) =>
    status.phase === "Terminating" ? undefined : { ...status, phase: "Terminating" },
  );
  const emptied = await emptyNamespace(client, release, name);
  const current = await writeStatus(client, seen, (status) => {
    const conditions = conditionsFor(emptied, status.conditions ?? [], client.clock.now());
    return conditions === undefined ? undefined : { ...status, conditions };
  });
  const again = whatRemains(emptied);
  if (again !== undefined) return again;
  if (current !== undefined) await finalize(client, current);
  return undefined;
}

/** @throws Error when a step failed */
function whatRemains(emptied: Emptied): RequeueAfter | undefined {
  const { podsNeedSeconds, discoveryErrors, deletionErrors, remaining } = emptied;
  const failures = [...discoveryErrors.map(({ message }) => message), ...deletionErrors];
  if (podsNeedSeconds > 0) return { againAfterMs: (podsNeedSeconds / 2 + 1) * 1000 };
  if (failures.length > 0) throw new Error(failures.join(", "));
  if (remaining.size > 0) return { againAfterMs: AWAIT_FINALIZERS_MS };
  return undefined;
}

/**
 * Updates the status of a namespace.
 * @param change returns the new status; undefined when no change is needed
 * @returns the resulting namespace; undefined when it is gone or was recreated
 */
async function writeStatus(
  client: Client,
  seen: coreV1.Namespace,
  change: (status: coreV1.NamespaceStatus) => coreV1.NamespaceStatus | undefined,
): Promise<coreV1.Namespace | undefined> {
  const namespaces = client.resource(builtInTypes(client.vocabulary).namespaces);
  return retryConflicts(async () => {
    const current = await namespaces.find(seen.metadata?.name ?? "");
    if (current?.metadata?.uid !== seen.metadata?.uid) return undefined;
    const status = change(current?.status ?? {});
    return current === undefined || status === undefined ? current : namespaces.updateStatus({ ...current, status });
  });
}

/** Removes the product's own finalizer from the namespace and keeps all others. */
async function finalize(client: Client, seen: coreV1.Namespace): Promise<void> {
  const namespaces = client.resource(builtInTypes(client.vocabulary).namespaces);
  const own = vocabularyOf(client.vocabulary).finalizers.product;
  const name = seen.metadata?.name ?? "";
  await retryConflicts(async () => {
    const current = await namespaces.find(name);
    if (current === undefined || current.metadata?.uid !== seen.metadata?.uid) return;
    const finalizers = (current.spec?.finalizers ?? []).filter((each) => each !== own).sort();
    await namespaces.updateSubresource(name, "finalize", { ...current, spec: { ...current.spec, finalizers } });
  });
}
