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
import { isCode } from "@orch/machinery";
import { compareReleases, type rbacV1 } from "@orch/schema";
import { aggregates, gatheredRules, sameRules } from "./gathered-rules";

const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 10, burst: 100 };
const RESYNC_MS = 5 * 60_000;
const WORKERS = 5;
const AGGREGATES = "aggregates";
/** From it on the rules are applied: who else applies the role is told whose they are. */
const APPLIED_SINCE = "1.21";
const FIELD_MANAGER = "clusterrole-aggregation-controller";

export interface RoleAggregationOptions {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Works until the signal is aborted. */
export async function aggregateRoles(
  { client, release, metrics }: RoleAggregationOptions,
  signal: AbortSignal,
): Promise<void> {
  const isApplied = compareReleases(release, APPLIED_SINCE) >= 0;
  const factory = new InformerFactory(client, { resyncMs: RESYNC_MS });
  const queue = new WorkQueue({
    retries: RETRIES,
    metrics: metrics?.("ClusterRoleAggregator"),
  });
  const roles = client.resource(builtInTypes(client.vocabulary).clusterRoles);
  const informer = factory.informer(roles.type);
  informer.addIndex(AGGREGATES, (role) => (aggregates(role) ? [AGGREGATES] : []));
  // Whichever role changes: any of those that select may have it, or have had it.
  const look = () => {
    for (const role of informer.store.byIndex(AGGREGATES, AGGREGATES)) queue.add(keyOf(role));
  };
  informer.addHandler({ added: look, updated: look, deleted: look });
  factory.start(signal);
  await informer.synced(signal).catch(() => {});
  async function reconcile(name: string): Promise<undefined> {
    const role = informer.store.get(name);
    if (role === undefined || !aggregates(role)) return;
    const rules = gatheredRules(role, informer.store.values());
    if (sameRules(role.rules ?? [], rules)) return;
    try {
      await write(role, [...rules]);
    } catch (error) {
      // Of one that has changed meanwhile the newest form is told soon.
      if (!isCode(error, 404, 409)) throw error;
    }
  }

  async function write(role: rbacV1.ClusterRole, rules: rbacV1.PolicyRule[]): Promise<void> {
    if (!isApplied) {
      await roles.update({ ...role, rules });
      return;
    }
    const { name, uid, resourceVersion } = role.metadata ?? {};
    // Only as it was read: applying would make a role anew that is gone, without its selectors.
    const metadata = { name, uid, resourceVersion } as NonNullable<rbacV1.ClusterRole["metadata"]>;
    await roles.apply({ metadata, rules }, { fieldManager: FIELD_MANAGER, force: true });
  }

  await runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
  await factory.stopped();
}
