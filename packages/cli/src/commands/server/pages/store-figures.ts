// Figures of the store from the metrics of a server.
import type { Client } from "@orch/client";
import { Metrics } from "./metrics-text";
import { readText } from "./page";

export interface StoreFigures {
  /** Bytes by endpoint of the store, `embedded` for the embedded store. */
  readonly sizes: readonly { readonly endpoint: string; readonly bytes: number }[];
  readonly objects: number | undefined;
  /** Objects that cannot be decoded. */
  readonly unreadable: number;
}

/** Names by release. Source: staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics/metrics.go. */
const SIZE_NAMES = [
  "apiserver_storage_size_bytes",
  "apiserver_storage_db_total_size_in_bytes",
  "etcd_db_total_size_in_bytes",
];
export const OBJECT_NAMES = ["apiserver_resource_objects", "apiserver_storage_objects", "etcd_object_counts"];
const UNREADABLE = "apiserver_storage_unreadable_objects";

/** @throws StatusError when the metrics may not be read */
export async function storeFigures(client: Client): Promise<StoreFigures> {
  const wanted = new Set([...SIZE_NAMES, ...OBJECT_NAMES, UNREADABLE]);
  const metrics = new Metrics(await readText(client, "/metrics"), (name) => wanted.has(name));
  return {
    sizes: metrics.firstOf(...SIZE_NAMES).map(({ labels, value }) => ({
      endpoint: labels["endpoint"] ?? labels["cluster"] ?? labels["storage_cluster_id"] ?? "",
      bytes: value,
    })),
    objects: metrics.total(...OBJECT_NAMES),
    unreadable: metrics.total(UNREADABLE) ?? 0,
  };
}
