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
  /** Absent: the server takes no backups. */
  readonly backups?: BackupFigures;
}

export interface BackupFigures {
  /** RFC 3339; "" when there is none yet. */
  readonly last: string;
  readonly bytes: number;
  readonly hasFailed: boolean;
}

/** Names by release. Source: staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics/metrics.go. */
const SIZE_NAMES = [
  "apiserver_storage_size_bytes",
  "apiserver_storage_db_total_size_in_bytes",
  "etcd_db_total_size_in_bytes",
];
export const OBJECT_NAMES = ["apiserver_resource_objects", "apiserver_storage_objects", "etcd_object_counts"];
const UNREADABLE = "apiserver_storage_unreadable_objects";
const BACKUP_TIME = "apiserver_backup_last_success_timestamp_seconds";
const BACKUP_FAILED = "apiserver_backup_last_attempt_failed";
/** The last time of ECMAScript. */
const TIME_MAX_SECONDS = 8.64e12;
const BACKUP_BYTES = "apiserver_backup_size_bytes";

/** @throws StatusError when the metrics may not be read */
export async function storeFigures(client: Client): Promise<StoreFigures> {
  const wanted = new Set([...SIZE_NAMES, ...OBJECT_NAMES, UNREADABLE, BACKUP_TIME, BACKUP_FAILED, BACKUP_BYTES]);
  const metrics = new Metrics(await readText(client, "/metrics"), (name) => wanted.has(name));
  return {
    sizes: metrics.firstOf(...SIZE_NAMES).map(({ labels, value }) => ({
      endpoint: labels["endpoint"] ?? labels["cluster"] ?? labels["storage_cluster_id"] ?? "",
      bytes: value,
    })),
    objects: metrics.total(...OBJECT_NAMES),
    unreadable: metrics.total(UNREADABLE) ?? 0,
    ...backupsIn(metrics),
  };
}

function backupsIn(metrics: Metrics): Pick<StoreFigures, "backups"> {
  const failed = metrics.total(BACKUP_FAILED);
  if (failed === undefined) return {};
  const seconds = metrics.total(BACKUP_TIME);
  const isTime = seconds !== undefined && Math.abs(seconds) < TIME_MAX_SECONDS;
  const last = !isTime ? "" : new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  return { backups: { last, bytes: metrics.total(BACKUP_BYTES) ?? 0, hasFailed: failed > 0 } };
}
