// Metrics of allocators and work queues. Source: pkg/registry/core/service/ipallocator/metrics.go,
// pkg/registry/core/service/portallocator/metrics.go and
// staging/src/k8s.io/component-base/metrics/prometheus/workqueue/metrics.go.

const CIDR = ["cidr"] as const;
const QUEUE = ["name"] as const;
const QUEUE_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10] as const;
const ALLOCATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export const BACKGROUND_METRICS = {
  kube_apiserver_clusterip_allocator_allocated_ips: {
    kind: "gauge",
    joining: "max",
    help: "Allocated cluster IPs of a range.",
    labels: CIDR,
    since: "1.23",
  },
  kube_apiserver_clusterip_allocator_available_ips: {
    kind: "gauge",
    joining: "max",
    help: "Free cluster IPs of a range.",
    labels: CIDR,
    since: "1.23",
  },
  kube_apiserver_clusterip_allocator_allocation_total: {
    kind: "counter",
    help: "Allocations of cluster IPs, by whether the service names the address.",
    labels: [...CIDR, "scope"],
    since: "1.24",
  },
  kube_apiserver_clusterip_allocator_allocation_errors_total: {
    kind: "counter",
    help: "Failed allocations of cluster IPs, by whether the service names the address.",
    labels: [...CIDR, "scope"],
    since: "1.24",
  },
  kube_apiserver_clusterip_allocator_allocation_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on the allocation of a cluster IP.",
    labels: CIDR,
    buckets: ALLOCATION_SECONDS,
    since: "1.31",
  },
  kube_apiserver_nodeport_allocator_allocated_ports: {
    kind: "gauge",
    joining: "max",
    help: "Allocated node ports.",
    labels: [],
    since: "1.24",
  },
  kube_apiserver_nodeport_allocator_available_ports: {
    kind: "gauge",
    joining: "max",
    help: "Free node ports.",
    labels: [],
    since: "1.24",
  },
  kube_apiserver_nodeport_allocator_allocation_total: {
    kind: "counter",
    help: "Allocations of node ports, by whether the service names the port.",
    labels: ["scope"],
    since: "1.24",
  },
  kube_apiserver_nodeport_allocator_allocation_errors_total: {
    kind: "counter",
    help: "Failed allocations of node ports, by whether the service names the port.",
    labels: ["scope"],
    since: "1.24",
  },
  workqueue_depth: { kind: "gauge", help: "Queued items.", stability: "BETA", labels: QUEUE },
  workqueue_adds_total: { kind: "counter", help: "Added items.", stability: "BETA", labels: QUEUE },
  workqueue_retries_total: { kind: "counter", help: "Retried items.", stability: "BETA", labels: QUEUE },
  workqueue_queue_duration_seconds: {
    kind: "histogram",
    help: "Seconds that an item waited in the queue.",
    stability: "BETA",
    labels: QUEUE,
    buckets: QUEUE_SECONDS,
  },
  workqueue_work_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent on an item.",
    stability: "BETA",
    labels: QUEUE,
    buckets: QUEUE_SECONDS,
  },
  workqueue_longest_running_processor_seconds: {
    kind: "gauge",
    joining: "max",
    help: "Age in seconds of the oldest item in progress.",
    stability: "BETA",
    labels: QUEUE,
  },
  workqueue_unfinished_work_seconds: {
    kind: "gauge",
    help: "Sum of the ages in seconds of all items in progress.",
    stability: "BETA",
    labels: QUEUE,
  },
} as const;
