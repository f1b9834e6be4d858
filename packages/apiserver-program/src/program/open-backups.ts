// The scheduled backups of a server.
import { hostname } from "node:os";
import type { Logger, ServerMetrics } from "@orch/apiserver";
import {
  type BackupObserver,
  type BackupRecord,
  BackupScheduler,
  FolderTarget,
  loadS3,
  readBackupTimes,
  S3Target,
} from "@orch/backup";
import type { Clock } from "@orch/platform";
import { backupBucket, type ServerConfig } from "@orch/server-config";
import type { Store } from "@orch/store";

/** Marks partial files of servers, of which one writes at a time. */
const PARTIAL_MARK = "server-";

export interface BackupParts {
  readonly config: ServerConfig;
  /** The store without encryption: a backup contains what is stored. */
  readonly store: Store;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
}

/** @returns undefined when no backups are scheduled */
export function openBackups({ config, store, logger, metrics, clock }: BackupParts): BackupScheduler | undefined {
  if (config["backup-schedule"] === "") return undefined;
  const [folder, bucket] = [config["backup-dir"], backupBucket(config)];
  // The event loop is not blocked by loading libraries later, when requests are served.
  if (bucket !== undefined) loadS3();
  return new BackupScheduler({
    ...{ store, clock, log: logger, prefix: config["etcd-prefix"], chance: Math.random },
    self: `${hostname()}/${process.pid}`,
    times: readBackupTimes(config["backup-schedule"]),
    retention: { keep: config["backup-retention"], keepForMs: config["backup-retention-age"] || undefined },
    openTargets: () => [
      ...(folder === "" ? [] : [new FolderTarget(folder, { exclusiveMark: PARTIAL_MARK })]),
      ...(bucket === undefined ? [] : [new S3Target(bucket)]),
    ],
    observer: observerOf(metrics),
  });
}

function observerOf(metrics: ServerMetrics): BackupObserver {
  const success = metrics.gauge("apiserver_backup_last_success_timestamp_seconds");
  const failed = metrics.gauge("apiserver_backup_last_attempt_failed");
  const size = metrics.gauge("apiserver_backup_size_bytes");
  const seconds = metrics.histogram("apiserver_backup_duration_seconds");
  const total = metrics.counter("apiserver_backup_total");
  return {
    known({ succeededMs, bytes, failures }: BackupRecord) {
      if (succeededMs !== undefined) success.set(succeededMs / 1000);
      if (bytes !== undefined) size.set(bytes);
      failed.set(failures > 0 ? 1 : 0);
    },
    ended(result, took) {
      seconds.labels({}).observe(took);
      total.inc({ result });
    },
  };
}
