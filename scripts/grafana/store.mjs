// The dashboard of the store.
import { ETCD, max, orZero, quantile, rate, SERVERS } from "./expressions.mjs";

export const STORE = {
  uid: "orch-store",
  title: "Orch / Store",
  about: "Calls of the store, its size, compaction, encryption, and the members of etcd.",
  rows: [
    {
      title: "Calls",
      panels: [
        {
          title: "Calls of the store",
          about: "Calls per second, by operation.",
          unit: "ops",
          queries: [["{{operation}}", rate("operation", "etcd_request_duration_seconds_count")]],
        },
        {
          title: "Median duration of calls",
          about: "Median duration, by operation.",
          unit: "s",
          queries: [["{{operation}}", quantile(0.5, "operation", "etcd_request_duration_seconds")]],
        },
        {
          title: "99th percentile of the duration",
          about: "99th percentile of the duration, by operation.",
          unit: "s",
          queries: [["{{operation}}", quantile(0.99, "operation", "etcd_request_duration_seconds")]],
        },
      ],
    },
    {
      title: "Content",
      panels: [
        {
          title: "Size",
          about: "Size of the store.",
          unit: "bytes",
          queries: [
            ["store", `max(apiserver_storage_size_bytes{${SERVERS}} or etcd_db_total_size_in_bytes{${SERVERS}})`],
          ],
        },
        {
          title: "Objects",
          about: "The ten resources with the most objects.",
          unit: "short",
          queries: [["{{resource}}", `topk(10, ${max("resource", "apiserver_storage_objects")})`]],
        },
        {
          title: "Unreadable objects",
          about: "Stored objects that cannot be read.",
          unit: "short",
          queries: [["", `sum(${max("resource", "apiserver_storage_unreadable_objects")})`]],
        },
        {
          title: "Last compaction",
          about: "Time since the last round of compaction.",
          unit: "s",
          queries: [
            [
              "{{storage_cluster_id}}",
              `time() - ${max("storage_cluster_id", "apiserver_storage_compaction_last_success_timestamp_seconds")}`,
            ],
          ],
        },
        {
          title: "Alarms",
          about: "Alarms of the store: 1 while it has one.",
          unit: "short",
          queries: [["{{alarm}}", max("alarm", "apiserver_storage_alarm")]],
        },
        {
          title: "Encryption",
          about: "Values per second that are encrypted or decrypted.",
          unit: "ops",
          queries: [
            [
              "{{transformation_type}} {{status}}",
              orZero(rate("transformation_type, status", "apiserver_storage_transformation_operations_total")),
            ],
          ],
        },
      ],
    },
    {
      title: "etcd",
      panels: [
        {
          title: "Share of the quota in use",
          about: "Size of the database over its quota, by member.",
          unit: "percentunit",
          queries: [
            ["{{instance}}", `etcd_mvcc_db_total_size_in_bytes{${ETCD}} / etcd_server_quota_backend_bytes{${ETCD}}`],
          ],
        },
        {
          title: "Members with a leader",
          about: "1 for each member that knows a leader, and the member that leads.",
          unit: "short",
          queries: [
            ["knows one {{instance}}", `etcd_server_has_leader{${ETCD}}`],
            ["leads {{instance}}", `etcd_server_is_leader{${ETCD}}`],
          ],
        },
        {
          title: "Duration of disk writes",
          about: "99th percentile of the time to write the log and the database.",
          unit: "s",
          queries: [
            [
              "log {{instance}}",
              `histogram_quantile(0.99, sum by (instance, le) (rate(etcd_disk_wal_fsync_duration_seconds_bucket{${ETCD}}[$__rate_interval])))`,
            ],
            [
              "database {{instance}}",
              `histogram_quantile(0.99, sum by (instance, le) (rate(etcd_disk_backend_commit_duration_seconds_bucket{${ETCD}}[$__rate_interval])))`,
            ],
          ],
        },
        {
          title: "Proposals",
          about: "Proposals per second that are committed and that failed.",
          unit: "ops",
          queries: [
            ["committed", `max(rate(etcd_server_proposals_committed_total{${ETCD}}[$__rate_interval]))`],
            ["failed", `sum(rate(etcd_server_proposals_failed_total{${ETCD}}[$__rate_interval]))`],
          ],
        },
        {
          title: "Round trips between members",
          about: "99th percentile of the round trip time.",
          unit: "s",
          queries: [
            [
              "{{instance}}",
              `histogram_quantile(0.99, sum by (instance, le) (rate(etcd_network_peer_round_trip_time_seconds_bucket{${ETCD}}[$__rate_interval])))`,
            ],
          ],
        },
        {
          title: "Changes of the leader",
          about: "Changes of the leader that members have seen.",
          unit: "short",
          queries: [["{{instance}}", `increase(etcd_server_leader_changes_seen_total{${ETCD}}[1h])`]],
        },
      ],
    },
  ],
};
