// Cluster role aggregation controller: collects the rules of cluster roles into roles that select them by label.
// Source: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
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
import { aggregatedRules, aggregates, sameRules } from "./aggregated-rules";

const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 10, burst: 100 };
const RESYNC_MS = 5 * 60_000;
const WORKERS = 5;
const AGGREGATES = "aggregates";
/** First release in which the rules are written by server-side apply, which records their field manager. */
const APPLIED_SINCE = "1.21";
const FIELD_MANAGER = "clusterrole-aggregation-controller";

export interface RoleAggregationOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
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
  // Any aggregating role may select a changed role, or may have selected it before.
  const look = () => {
    for (const role of informer.store.byIndex(AGGREGATES, AGGREGATES)) queue.add(keyOf(role));
  };
  informer.addHandler({ added: look, updated: look, deleted: look });
  factory.start(signal);
  await informer.synced(signal).catch(() => {});
  async function reconcile(name: string): Promise<undefined> {
    const role = informer.store.get(name);
    if (role === undefined || !aggregates(role)) return;
    const rules = aggregatedRules(role, informer.store.values());
    if (sameRules(role.rules ?? [], rules)) return;
    try {
      await write(role, [...rules]);
    } catch (error) {
      // The watch reports the newest version soon.
      if (!isCode(error, 404, 409)) throw error;
    }
  }

  async function write(role: rbacV1.ClusterRole, rules: rbacV1.PolicyRule[]): Promise<void> {
    if (!isApplied) {
      await roles.update({ ...role, rules });
      return;
    }
    const { name, uid, resourceVersion } = role.metadata ?? {};
    // The UID and resource version prevent that apply recreates a deleted role without its selectors.
    const metadata = { name, uid, resourceVersion } as NonNullable<rbacV1.ClusterRole["metadata"]>;
    await roles.apply({ metadata, rules }, { fieldManager: FIELD_MANAGER, force: true });
  }

  await runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
  await factory.stopped();
}
