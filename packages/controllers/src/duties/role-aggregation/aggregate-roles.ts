// Gathers the rules of cluster roles into those that select them by label. Source: facts, controllers.md "clusterrole-aggregation".
import {
  builtInTypes,
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import type { rbacV1 } from "@orch/schema";
import { aggregates, gatheredRules, sameRules } from "./gathered-rules";

const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 10, burst: 100 };
const RESYNC_MS = 5 * 60_000;
const WORKERS = 5;

export interface RoleAggregationOptions {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Works until the signal is aborted. */
export async function aggregateRoles({ client, metrics }: RoleAggregationOptions, signal: AbortSignal): Promise<void> {
  const factory = new InformerFactory(client, { resyncMs: RESYNC_MS });
  const queue = new WorkQueue({
    retries: RETRIES,
    ...(metrics === undefined ? {} : { metrics: metrics("clusterrole-aggregation") }),
  });
  const roles = client.resource(builtInTypes(client.vocabulary).clusterRoles);
  const informer = factory.informer(roles.type);
  // Whichever role changes: any of those that select may have it, or have had it.
  const look = () => {
    for (const role of informer.store.values()) if (aggregates(role)) queue.add(keyOf(role));
  };
  informer.addHandler({ added: look, updated: look, deleted: look });
  factory.start(signal);
  await informer.synced(signal).catch(() => {});
  async function reconcile(name: string): Promise<undefined> {
    const role = informer.store.get(name);
    if (role === undefined || !aggregates(role)) return;
    const rules = gatheredRules(role, informer.store.values());
    // Of a role that has changed meanwhile: a conflict, after which this is done again.
    if (!sameRules(role.rules ?? [], rules)) await roles.update({ ...role, rules: [...rules] } as rbacV1.ClusterRole);
  }
  await runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
  await factory.stopped();
}
