// The dashboard with the state of the cluster at a glance.
import { ETCD, MANAGERS, max, orZero, rate, SERVERS, sum } from "./expressions.mjs";

export const OVERVIEW = {
  uid: "orch-overview",
  title: "Orch / Overview",
  about: "State of the cluster at a glance: objectives, replicas, resources of the processes, certificates.",
  rows: [
    {
      title: "Objectives",
      panels: [
        {
          title: "Requests without a server error",
          about: "Share of the requests of the last hour without a code of 5xx. Objective: 99.9 %.",
          kind: "stat",
          unit: "percentunit",
          queries: [["", "1 - orch:apiserver_request_errors:ratio_rate1h"]],
        },
        {
          title: "Requests in time",
          about: "Share of the requests of the last hour that were answered in time. Objective: 99 %.",
          kind: "stat",
          unit: "percentunit",
          queries: [["", "1 - orch:apiserver_request_slow:ratio_rate1h"]],
        },
        {
          title: "Error budget left",
          about: "Share of the error budget of 30 days that is not spent.",
          kind: "stat",
          unit: "percentunit",
          queries: [["", "orch:apiserver_error_budget:remaining_ratio30d"]],
        },
      ],
    },
    {
      title: "Replicas",
      panels: [
        {
          title: "Processes that answer",
          about: "Targets that Prometheus reaches, by job.",
          unit: "short",
          queries: [["{{job}}", 'sum by (job) (up{job=~"orch-apiserver|orch-controller-manager|etcd"})']],
        },
        {
          title: "Leading controller manager",
          about: "1 for the controller manager that leads.",
          unit: "short",
          queries: [["{{instance}}", `max by (instance) (leader_election_master_status{${MANAGERS}})`]],
        },
        {
          title: "Alerts",
          about: "Firing and pending alerts.",
          unit: "short",
          queries: [["{{alertstate}}", orZero('sum by (alertstate) (ALERTS{alertname=~"Orch.*"})')]],
        },
        {
          title: "Requests",
          about: "Requests per second, by replica.",
          unit: "reqps",
          queries: [["{{instance}}", rate("instance", "apiserver_request_total")]],
        },
        {
          title: "Open watches",
          about: "Open watches, by replica.",
          unit: "short",
          queries: [["{{instance}}", sum("instance", "apiserver_registered_watchers")]],
        },
        {
          title: "Connections",
          about: "Open connections, by replica.",
          unit: "short",
          queries: [["{{instance}}", sum("instance", "apiserver_connections")]],
        },
      ],
    },
    {
      title: "Resources of the processes",
      panels: [
        {
          title: "CPU",
          about: "Cores in use. One process uses little more than one.",
          unit: "short",
          queries: [["{{instance}}", rate("instance", "process_cpu_seconds_total")]],
        },
        {
          title: "Memory",
          about: "Resident memory.",
          unit: "bytes",
          queries: [["{{instance}}", sum("instance", "process_resident_memory_bytes")]],
        },
        {
          title: "Lag of the event loop",
          about: "99th percentile of the delay with which timers run.",
          unit: "s",
          queries: [["{{instance}}", max("instance", "nodejs_eventloop_lag_p99_seconds")]],
        },
        {
          title: "Garbage collection",
          about: "Share of the time that garbage collections take.",
          unit: "percentunit",
          queries: [["{{instance}} {{kind}}", rate("instance, kind", "nodejs_gc_duration_seconds_sum")]],
        },
        {
          title: "Memory of controllers and etcd",
          about: "Resident memory of the other processes.",
          unit: "bytes",
          queries: [
            ["controllers {{instance}}", `sum by (instance) (process_resident_memory_bytes{${MANAGERS}})`],
            ["etcd {{instance}}", `sum by (instance) (process_resident_memory_bytes{${ETCD}})`],
          ],
        },
        {
          title: "Open files",
          about: "Share of the open files that the process may have.",
          unit: "percentunit",
          queries: [["{{instance}}", `${sum("instance", "process_open_fds")} / ${sum("instance", "process_max_fds")}`]],
        },
      ],
    },
    {
      title: "Certificates and builds",
      panels: [
        {
          title: "Certificates expire in",
          about: "Time left of the certificates in use, by option.",
          unit: "s",
          queries: [
            ["{{option}}", `min by (option) (apiserver_certificate_expiration_timestamp_seconds{${SERVERS}}) - time()`],
          ],
        },
        {
          title: "Reloads of changed files",
          about: "Changed certificate and option files that were accepted or rejected.",
          unit: "short",
          queries: [
            [
              "{{option}} {{result}}",
              orZero(`sum by (option, result) (increase(apiserver_configuration_reloads_total{${SERVERS}}[1h]))`),
            ],
          ],
        },
        {
          title: "Work queues of the controllers",
          about: "Queued items, by queue.",
          unit: "short",
          queries: [["{{name}}", `sum by (name) (workqueue_depth{${MANAGERS}})`]],
        },
      ],
    },
  ],
};
