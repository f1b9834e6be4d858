// Metrics that are polled: object counts and store sizes.
import { ANY } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { Store } from "@orch/store";
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
}

export class PolledFigures {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly deps: PolledFiguresDeps) {}

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
        const { size } = await store.status();
        for (const gauge of gauges) gauge.set({ endpoint }, size);
        ofCluster.set({ storage_cluster_id: `etcd-${index}` }, size);
      }),
    );
  }
}

async function listed(storage: ResourceStorage): Promise<number> {
  const { entries } = await storage.list({ namespace: "", read: ANY, selection: {}, limit: 0 });
  return entries.length;
}
