// Metrics of API priority and fairness. Source: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/metrics/metrics.go.

const FLOW = ["priority_level", "flow_schema"] as const;
const QUEUE_SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30] as const;
const LATER_QUEUE_SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30] as const;
const RATIOS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;
const LEVEL = ["priority_level"] as const;
/** The two largest bounds are close to each other, so that quantiles show saturation. */
const SEAT_RATIOS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;
const REQUEST_RATIOS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1] as const;
const KIND_RATIOS = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;
const DEMAND_RATIOS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6] as const;

export const FLOW_CONTROL_METRICS = {
  apiserver_current_inflight_requests: {
    kind: "gauge",
    help: "Maximum number of concurrent requests in the last second.",
    stability: "STABLE",
    labels: ["request_kind"],
  },
  apiserver_dropped_requests_total: {
    kind: "counter",
    help: "Requests rejected because too many requests were in flight.",
    labels: ["request_kind"],
  },
  apiserver_flowcontrol_rejected_requests_total: {
    kind: "counter",
    help: "Requests rejected by priority and fairness, by reason.",
    stability: "BETA",
    labels: [...FLOW, "reason"],
  },
  apiserver_flowcontrol_dispatched_requests_total: {
    kind: "counter",
    help: "Requests dispatched by priority and fairness.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_inqueue_requests: {
    kind: "gauge",
    help: "Requests queued by priority and fairness.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_current_executing_requests: {
    kind: "gauge",
    help: "Requests in execution, including watches that send their initial events.",
    stability: "BETA",
    labels: FLOW,
  },
  apiserver_flowcontrol_request_queue_length_after_enqueue: {
    kind: "histogram",
    help: "Queue length at each enqueue.",
    labels: FLOW,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  },
  apiserver_flowcontrol_request_concurrency_limit: {
    kind: "gauge",
    help: "Nominal number of seats of a priority level.",
    labels: ["priority_level"],
    deprecated: "1.30",
  },
  apiserver_flowcontrol_request_wait_duration_seconds: {
    kind: "histogram",
    help: "Seconds that requests waited in queues, by whether they were then executed.",
    labels: [...FLOW, "execute"],
    stability: "BETA",
    buckets: QUEUE_SECONDS,
    bucketsFrom: ["1.27", LATER_QUEUE_SECONDS],
  },
  apiserver_flowcontrol_request_execution_seconds: {
    kind: "histogram",
    help: "Seconds of request execution.",
    labels: FLOW,
    labelsFrom: ["1.27", [...FLOW, "type"]],
    buckets: QUEUE_SECONDS,
    bucketsFrom: ["1.27", LATER_QUEUE_SECONDS],
  },
  apiserver_flowcontrol_priority_level_request_count_samples: {
    kind: "histogram",
    help: "Ratio of a priority level's requests to its capacity, sampled every millisecond.",
    labels: ["phase", "priority_level"],
    buckets: RATIOS,
    until: "1.26",
  },
  apiserver_flowcontrol_priority_level_request_count_watermarks: {
    kind: "histogram",
    help: "Minimum and maximum of the ratio between two samples.",
    labels: ["mark", "phase", "priority_level"],
    buckets: RATIOS,
    until: "1.26",
  },
  apiserver_flowcontrol_read_vs_write_request_count_samples: {
    kind: "histogram",
    help: "Ratio of read-only and mutating requests to --max-requests-inflight and --max-mutating-requests-inflight, sampled every millisecond.",
    labels: ["phase", "request_kind"],
    buckets: RATIOS,
    until: "1.26",
  },
  apiserver_flowcontrol_read_vs_write_request_count_watermarks: {
    kind: "histogram",
    help: "Minimum and maximum of the ratio between two samples.",
    labels: ["mark", "phase", "request_kind"],
    buckets: RATIOS,
    until: "1.26",
  },
  apiserver_flowcontrol_nominal_limit_seats: {
    kind: "gauge",
    help: "Nominal number of seats of a priority level.",
    labels: LEVEL,
    stability: "BETA",
    since: "1.26",
  },
  apiserver_flowcontrol_lower_limit_seats: {
    kind: "gauge",
    help: "Minimum number of seats of a priority level after lending.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_upper_limit_seats: {
    kind: "gauge",
    help: "Maximum number of seats of a priority level with borrowed ones.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_current_limit_seats: {
    kind: "gauge",
    help: "Current number of seats of a priority level.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_demand_seats_high_watermark: {
    kind: "gauge",
    help: "Highest demand of a priority level for seats in the last period.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_demand_seats_average: {
    kind: "gauge",
    help: "Average demand of a priority level for seats in the last period.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_demand_seats_stdev: {
    kind: "gauge",
    help: "Standard deviation of the demand of a priority level for seats in the last period.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_demand_seats_smoothed: {
    kind: "gauge",
    help: "Smoothed demand of a priority level for seats.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_target_seats: {
    kind: "gauge",
    help: "Demand of a priority level by which seats are distributed.",
    labels: LEVEL,
    since: "1.26",
  },
  apiserver_flowcontrol_seat_fair_frac: {
    kind: "gauge",
    help: "Multiple of its demand that each priority level gets within its bounds.",
    labels: [],
    since: "1.26",
  },
  apiserver_flowcontrol_current_executing_seats: {
    kind: "gauge",
    help: "Seats that the requests in execution occupy.",
    labels: ["priority_level", "flow_schema"],
    stability: "BETA",
    since: "1.28",
  },
  apiserver_flowcontrol_priority_level_request_utilization: {
    kind: "histogram",
    help: "Ratio of a priority level's requests to its capacity, weighted by nanoseconds.",
    labels: ["phase", "priority_level"],
    buckets: REQUEST_RATIOS,
    since: "1.26",
  },
  apiserver_flowcontrol_priority_level_seat_utilization: {
    kind: "histogram",
    help: "Ratio of a priority level's occupied seats to its seats, weighted by nanoseconds.",
    labels: ["phase", "priority_level"],
    buckets: SEAT_RATIOS,
    since: "1.26",
  },
  apiserver_flowcontrol_demand_seats: {
    kind: "histogram",
    help: "Ratio of the seats that a priority level could use to its nominal number of seats, weighted by nanoseconds.",
    labels: LEVEL,
    buckets: DEMAND_RATIOS,
    since: "1.26",
  },
  apiserver_flowcontrol_read_vs_write_current_requests: {
    kind: "histogram",
    help: "Ratio of read-only and mutating requests to --max-requests-inflight and --max-mutating-requests-inflight, weighted by nanoseconds.",
    labels: ["phase", "request_kind"],
    buckets: KIND_RATIOS,
    since: "1.26",
  },
  apiserver_flowcontrol_watch_count_samples: {
    kind: "histogram",
    help: "Number of watchers that may receive the change of a mutating request.",
    labels: FLOW,
    buckets: [0, 1, 10, 100, 1000, 10_000],
    since: "1.23",
  },
  apiserver_flowcontrol_work_estimated_seats: {
    kind: "histogram",
    help: "Estimated number of seats of a request.",
    labels: FLOW,
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    since: "1.24",
  },
  apiserver_flowcontrol_request_concurrency_in_use: {
    kind: "gauge",
    help: "Seats that the requests in execution occupy.",
    labels: FLOW,
    deprecated: "1.31",
  },
  apiserver_flowcontrol_current_inqueue_seats: {
    kind: "gauge",
    help: "Seats that the queued requests ask for.",
    labels: FLOW,
    since: "1.28",
  },
  apiserver_current_inqueue_requests: {
    kind: "gauge",
    help: "Maximum number of queued requests in the last second.",
    labels: ["request_kind"],
  },
} as const;
