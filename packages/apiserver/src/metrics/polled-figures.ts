// Figures that are asked for now and then: how many objects there are, and how large the store is.
import { ANY } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { Store } from "@orch/store";
import type { ServerMetrics } from "./server-metrics";

export interface PolledFiguresDeps {
  readonly metrics: ServerMetrics;
  /** Each with its name in the metric. */
  readonly stores: readonly { readonly store: Store; readonly endpoint: string }[];
  /** At the moment. */
  readonly storages: () => readonly ResourceStorage[];
  /** 0: never. */
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
    // A figure that cannot be had now is asked for the next time; health checks tell of a store that is away.
    const quietly = () => void look().catch(() => {});
    quietly();
    this.timers.push(setInterval(quietly, everyMs).unref());
  }

  /** From the cache: no call of the store. */
  private async count(): Promise<void> {
    const { metrics } = this.deps;
    const gauges = [metrics.gauge("apiserver_storage_objects"), metrics.gauge("etcd_object_counts")];
    const unreadable = metrics.gauge("apiserver_storage_unreadable_objects");
    for (const storage of this.deps.storages()) {
      const { group, plural } = storage.definition;
      const { entries } = await storage.list({ namespace: "", read: ANY, selection: {}, limit: 0 });
      const resource = group === "" ? plural : `${plural}.${group}`;
      for (const gauge of gauges) gauge.set({ resource }, entries.length);
      unreadable.set({ resource }, storage.unreadable("").count);
    }
  }

  private async size(): Promise<void> {
    const { metrics, stores } = this.deps;
    const gauge = metrics.gauge("etcd_db_total_size_in_bytes");
    await Promise.all(stores.map(async ({ store, endpoint }) => gauge.set({ endpoint }, (await store.status()).size)));
  }
}
