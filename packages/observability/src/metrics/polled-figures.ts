// Metrics that are polled: object counts, store sizes and alarms, and how far the watch cache is behind the store.
import { ANY } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { Store, StoreStatus } from "@orch/store";
import type { ServerMetrics } from "./server-metrics";

export interface PolledFiguresDeps {
  readonly metrics: ServerMetrics;
  /** The stores with their label values. */
  readonly stores: readonly { readonly store: Store; readonly endpoint: string }[];
  /** The storages that exist at the time of the call. */
  readonly storages: () => readonly ResourceStorage[];
  /** Polling interval of object counts in milliseconds. 0 disables it. */
  readonly countEveryMs: number;
  readonly sizeEveryMs: number;
  /** State of the watch cache, which follows the first store. */
  readonly cache: () => { readonly revision: number; readonly synced: boolean; readonly connected: boolean };
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}

/** Alarms that are 0 while the store does not have them. */
const ALARMS = ["NOSPACE", "CORRUPT"] as const;

export class PolledFigures {
  private readonly timers: NodeJS.Timeout[] = [];
  /** A revision of the store that the watch cache had not reached when the store was polled. */
  private missing: { readonly revision: number; readonly sinceMs: number } | undefined;

  constructor(private readonly deps: PolledFiguresDeps) {
    deps.metrics.beforeRendering(() => this.showCache());
  }

  start(): void {
    this.poll(this.deps.countEveryMs, () => this.count());
    this.poll(this.deps.sizeEveryMs, () => this.size());
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private poll(everyMs: number, look: () => Promise<void>): void {
    if (everyMs === 0) return;
    // A failed poll is repeated at the next interval; health checks report a store that is away.
    const quietly = () => void look().catch(() => {});
    quietly();
    this.timers.push(setInterval(quietly, everyMs).unref());
  }

  /** Counts objects in the cache, without a call to the store. */
  private async count(): Promise<void> {
    const { metrics } = this.deps;
    const gauges = [metrics.gauge("apiserver_storage_objects"), metrics.gauge("etcd_object_counts")];
    const newGauge = metrics.gauge("apiserver_resource_objects");
    const unreadable = metrics.gauge("apiserver_storage_unreadable_objects");
    for (const storage of this.deps.storages()) {
      const { group, plural } = storage.definition;
      const objects = storage.size?.("") ?? (await listed(storage));
      const resource = group === "" ? plural : `${plural}.${group}`;
      for (const gauge of gauges) gauge.set({ resource }, objects);
      newGauge.set({ group, resource: plural }, objects);
      unreadable.set({ resource }, storage.unreadable("").count);
    }
  }

  private async size(): Promise<void> {
    const { metrics, stores } = this.deps;
    const gauges = [
      metrics.gauge("etcd_db_total_size_in_bytes"),
      metrics.gauge("apiserver_storage_db_total_size_in_bytes"),
    ];
    const ofCluster = metrics.gauge("apiserver_storage_size_bytes");
    await Promise.all(
      stores.map(async ({ store, endpoint }, index) => {
        const status = await store.status();
        const { size } = status;
        if (index === 0) this.compare(status.revision);
        this.showCondition(`etcd-${index}`, status);
        for (const gauge of gauges) gauge.set({ endpoint }, size);
        ofCluster.set({ storage_cluster_id: `etcd-${index}` }, size);
      }),
    );
  }

  private showCondition(cluster: string, { alarms, available }: StoreStatus): void {
    const { metrics } = this.deps;
    const labels = { storage_cluster_id: cluster };
    const gauge = metrics.gauge("apiserver_storage_alarm");
    for (const alarm of new Set([...ALARMS, ...alarms]))
      gauge.set({ ...labels, alarm }, alarms.includes(alarm) ? 1 : 0);
    if (available !== undefined) metrics.gauge("apiserver_storage_available_bytes").set(labels, available);
  }

  /** Remembers the first revision that the watch cache is missing, until it has reached it. */
  private compare(revision: number): void {
    this.forgetReached();
    if (this.missing === undefined && this.deps.cache().revision < revision)
      this.missing = { revision, sinceMs: this.deps.elapsed() };
  }

  private forgetReached(): void {
    if (this.missing !== undefined && this.deps.cache().revision >= this.missing.revision) this.missing = undefined;
  }

  private showCache(): void {
    const { metrics, cache, elapsed } = this.deps;
    this.forgetReached();
    const lagMs = this.missing === undefined ? 0 : elapsed() - this.missing.sinceMs;
    metrics.gauge("apiserver_watch_cache_lag_seconds").set(lagMs / 1000);
    const { synced, connected } = cache();
    metrics.gauge("apiserver_watch_cache_connected").set(synced && connected ? 1 : 0);
  }
}

async function listed(storage: ResourceStorage): Promise<number> {
  const { entries } = await storage.list({ namespace: "", read: ANY, selection: {}, limit: 0 });
  return entries.length;
}
