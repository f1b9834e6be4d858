// Metrics of watches and the watch cache. Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/metrics/metrics.go and
// pkg/endpoints/metrics/metrics.go there.
import { GROUP_RESOURCE, RESOURCE, SLI_SECONDS } from "./shared-values";

const KIND = ["group", "version", "kind"] as const;
const RESOURCE_OF_WATCH = ["1.34", ["group", "version", "resource"]] as const;
const READ_WAIT_SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3] as const;

export const WATCH_METRICS = {
  apiserver_registered_watchers: { kind: "gauge", help: "Open watches.", labels: KIND },
  apiserver_watch_events_total: {
    kind: "counter",
    help: "Events sent to watches.",
    labels: KIND,
    labelsFrom: RESOURCE_OF_WATCH,
  },
  apiserver_watch_events_sizes: {
    kind: "histogram",
    help: "Bytes of the events sent to watches.",
    labels: KIND,
    labelsFrom: RESOURCE_OF_WATCH,
    buckets: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
  },
  apiserver_init_events_total: {
    kind: "counter",
    help: "Initial objects sent by watches.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  watch_cache_capacity_increase_total: {
    kind: "counter",
    help: "Number of times that the watch cache of a resource increased its capacity.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  watch_cache_capacity_decrease_total: {
    kind: "counter",
    help: "Number of times that the watch cache of a resource decreased its capacity.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  apiserver_watch_list_duration_seconds: {
    kind: "histogram",
    help: "Seconds until a watch with initial events sent the bookmark that ends them.",
    labels: ["group", "version", "resource", "scope"],
    buckets: [...SLI_SECONDS, 90, 120, 180, 300],
    stability: "BETA",
    since: "1.28",
  },
  apiserver_watch_cache_events_received_total: {
    kind: "counter",
    help: "Events received by the watch cache.",
    labels: RESOURCE,
    labelsFrom: GROUP_RESOURCE,
    since: "1.26",
  },
  apiserver_watch_cache_events_dispatched_total: {
    kind: "counter",
    help: "Events that the watch cache passed on to its watchers.",
    labels: RESOURCE,
    labelsFrom: GROUP_RESOURCE,
    since: "1.26",
  },
  apiserver_watch_cache_resource_version: {
    kind: "gauge",
    joining: "max",
    help: "Resource version that the watch cache has reached, in its last 15 digits.",
    labels: RESOURCE,
    labelsFrom: GROUP_RESOURCE,
    since: "1.30",
  },
  apiserver_watch_cache_lag_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Seconds that the watch cache has been behind a revision which the store had at the last poll; 0 when it has reached it.",
    labels: [],
  },
  apiserver_watch_cache_connected: {
    kind: "gauge",
    joining: "min",
    help: "1 while the watch cache holds the content of the store and receives its changes, else 0.",
    labels: [],
  },
  apiserver_watch_cache_read_wait_seconds: {
    kind: "histogram",
    help: "Seconds that lists waited for the watch cache to become current.",
    labels: RESOURCE,
    labelsFrom: GROUP_RESOURCE,
    buckets: READ_WAIT_SECONDS,
    since: "1.28",
  },
  apiserver_watch_cache_consistent_read_total: {
    kind: "counter",
    help: "Consistent lists, by whether the watch cache or the store answered them.",
    labels: ["resource", "success", "fallback"],
    labelsFrom: ["1.34", ["group", "resource", "success", "fallback"]],
    since: "1.31",
  },
  apiserver_cache_list_total: {
    kind: "counter",
    help: "Lists answered from the watch cache.",
    labels: ["resource_prefix", "index"],
    labelsFrom: ["1.34", ["group", "resource", "index"]],
    since: "1.23",
  },
  apiserver_cache_list_fetched_objects_total: {
    kind: "counter",
    help: "Objects that lists read from the watch cache.",
    labels: ["resource_prefix", "index"],
    labelsFrom: ["1.34", ["group", "resource", "index"]],
    since: "1.23",
  },
  apiserver_cache_list_returned_objects_total: {
    kind: "counter",
    help: "Objects that lists returned from the watch cache.",
    labels: ["resource_prefix"],
    labelsFrom: GROUP_RESOURCE,
    since: "1.23",
  },
  watch_cache_capacity: {
    kind: "gauge",
    joining: "max",
    help: "Number of changes for which the watch cache of a resource has room.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
  apiserver_terminated_watchers_total: {
    kind: "counter",
    help: "Watches that the server ended because the client read too slowly.",
    labels: ["resource"],
    labelsFrom: GROUP_RESOURCE,
  },
} as const;
