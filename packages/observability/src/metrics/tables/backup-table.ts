// Metrics of scheduled backups. The gauges are absent until their values are known. Each replica shows what all of them
// know, whichever has made the backup.

const BACKUP_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;

export const BACKUP_METRICS = {
  apiserver_backup_last_success_timestamp_seconds: {
    kind: "gauge",
    joining: "max",
    isLate: true,
    help: "Time in seconds since the epoch at which the last successful backup began.",
    labels: [],
  },
  apiserver_backup_last_attempt_failed: {
    kind: "gauge",
    joining: "max",
    isLate: true,
    help: "Whether the last attempt to take a backup has failed: 1, else 0.",
    labels: [],
  },
  apiserver_backup_size_bytes: {
    kind: "gauge",
    joining: "max",
    isLate: true,
    help: "Bytes of the last successful backup.",
    labels: [],
  },
  apiserver_backup_duration_seconds: {
    kind: "histogram",
    help: "Seconds that the attempts of this server to take a backup took.",
    labels: [],
    buckets: BACKUP_SECONDS,
  },
  apiserver_backup_total: {
    kind: "counter",
    help: "Attempts of this server to take a backup, by their result: success or failure.",
    labels: ["result"],
  },
} as const;
