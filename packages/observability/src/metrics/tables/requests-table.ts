// Metrics of requests and connections. Source: staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go.
import { LATER_SECONDS, REQUEST_SECONDS, SLI_SECONDS } from "./shared-values";

const REQUEST = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const;
const PLACE = ["verb", "group", "version", "resource", "subresource", "scope"] as const;
const FILTER_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5] as const;
const PLACE_OF_COMPONENT = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;
/** In steps of 100 kB up to the default limit of a body. */
const BODY_BYTES = Array.from({ length: 31 }, (_, at) => 50_000 + at * 100_000);

export const REQUEST_METRICS = {
  apiserver_request_total: {
    kind: "counter",
    help: "Finished requests.",
    labels: [...REQUEST, "contentType", "code"],
    labelsFrom: ["1.24", [...REQUEST, "code"]],
    stability: "STABLE",
  },
  apiserver_request_duration_seconds: {
    kind: "histogram",
    help: "Seconds between the arrival of a request and the end of its answer.",
    labels: REQUEST,
    buckets: REQUEST_SECONDS,
    bucketsFrom: ["1.27", LATER_SECONDS],
    stability: "STABLE",
  },
  apiserver_response_sizes: {
    kind: "histogram",
    help: "Size in bytes of the answers to read requests.",
    labels: [...PLACE, "component"],
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    stability: "STABLE",
  },
  apiserver_longrunning_gauge: {
    kind: "gauge",
    help: "Open long-running requests.",
    labels: [...PLACE, "component"],
    deprecated: "1.23",
  },
  apiserver_request_terminations_total: {
    kind: "counter",
    help: "Requests that the server ended before their handler returned.",
    labels: [...PLACE, "component", "code"],
  },
  apiserver_request_aborts_total: {
    kind: "counter",
    help: "Requests whose answer the server aborted.",
    labels: PLACE,
  },
  apiserver_request_filter_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a step of the request pipeline.",
    labels: ["filter"],
    buckets: FILTER_SECONDS,
    bucketsFrom: ["1.27", [...FILTER_SECONDS, 10, 15, 30]],
  },
  apiserver_tls_handshake_errors_total: { kind: "counter", help: "Failed TLS handshakes.", labels: [] },
  apiserver_connections: { kind: "gauge", help: "Open connections.", labels: [] },
  apiserver_open_requests: {
    kind: "gauge",
    help: "Requests without a complete answer, including long-running ones.",
    labels: [],
  },
  apiserver_connections_closed_total: {
    kind: "counter",
    help: "Connections that the server closed, by reason.",
    labels: ["reason"],
  },
  apiserver_connection_failures_total: {
    kind: "counter",
    help: "Failures that ended a connection or request, by place.",
    labels: ["place"],
  },
  apiserver_request_body_bytes: {
    kind: "gauge",
    help: "Memory in bytes used by the bodies of requests in progress.",
    labels: [],
  },
  apiserver_unread_bytes: {
    kind: "gauge",
    help: "Bytes of answers that clients had not read at the last check.",
    labels: [],
  },
  apiserver_requested_deprecated_apis: {
    kind: "gauge",
    joining: "max",
    help: "1 for each deprecated API that was requested.",
    stability: "STABLE",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
  },
  apiserver_request_slo_duration_seconds: {
    kind: "histogram",
    help: "Seconds between the arrival of a request and the end of its answer, without the time in queues of priority and fairness.",
    labels: PLACE_OF_COMPONENT,
    buckets: SLI_SECONDS,
    since: "1.23",
    deprecated: "1.27",
  },
  apiserver_request_sli_duration_seconds: {
    kind: "histogram",
    help: "Seconds between the arrival of a request and the end of its answer, without the time in queues of priority and fairness.",
    labels: PLACE_OF_COMPONENT,
    buckets: SLI_SECONDS,
    since: "1.26",
  },
  apiserver_longrunning_requests: {
    kind: "gauge",
    help: "Open long-running requests.",
    labels: PLACE_OF_COMPONENT,
    stability: "STABLE",
    since: "1.23",
  },
  apiserver_request_body_size_bytes: {
    kind: "histogram",
    help: "Size in bytes of the bodies of requests that write.",
    labels: ["resource", "verb"],
    labelsFrom: ["1.34", ["group", "resource", "verb"]],
    buckets: BODY_BYTES,
    since: "1.29",
  },
} as const;
