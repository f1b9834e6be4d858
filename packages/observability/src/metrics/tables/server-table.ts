// Metrics of other parts of the server, and those that describe other metrics. Source:
// staging/src/k8s.io/component-base/metrics/registry.go and staging/src/k8s.io/kube-aggregator/pkg/controllers/status/metrics.go.

const DIAL_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 12.5];
const CONVERSION_SECONDS = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
];

export const SERVER_METRICS = {
  apiserver_log_lines_lost_total: {
    kind: "counter",
    help: "Log lines that could not be written.",
    labels: [],
  },
  apiserver_crd_webhook_conversion_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of a conversion webhook.",
    labels: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: CONVERSION_SECONDS,
    until: "1.27",
  },
  apiserver_crd_conversion_webhook_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in a call of a conversion webhook.",
    labels: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: CONVERSION_SECONDS,
    since: "1.27",
  },
  apiserver_conversion_webhook_request_total: {
    kind: "counter",
    help: "Calls of conversion webhooks, by outcome and kind of failure.",
    labels: ["result", "failure_type"],
    since: "1.29",
  },
  apiserver_conversion_webhook_duration_seconds: {
    kind: "histogram",
    help: "Seconds spent in calls of conversion webhooks, by outcome and kind of failure.",
    labels: ["result", "failure_type"],
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
    since: "1.29",
  },
  kube_apiserver_pod_logs_insecure_backend_total: {
    kind: "counter",
    help: "Requests for the log of a container, by whether the certificate of the kubelet is verified.",
    labels: ["usage"],
    since: "1.27",
  },
  kube_apiserver_pod_logs_backend_tls_failure_total: {
    kind: "counter",
    help: "Requests for the log of a container that failed because the certificate of the kubelet was not accepted.",
    labels: [],
    since: "1.27",
  },
  kube_apiserver_pod_logs_pods_logs_insecure_backend_total: {
    kind: "counter",
    help: "Requests for the log of a container, by whether the certificate of the kubelet is verified.",
    labels: ["usage"],
    deprecated: "1.27",
  },
  kube_apiserver_pod_logs_pods_logs_backend_tls_failure_total: {
    kind: "counter",
    help: "Requests for the log of a container that failed because the certificate of the kubelet was not accepted.",
    labels: [],
    deprecated: "1.27",
  },
  aggregator_unavailable_apiservice: {
    kind: "gauge",
    joining: "max",
    help: "1 for each APIService whose aggregated API server is unavailable, else 0.",
    labels: ["name"],
  },
  aggregator_unavailable_apiservice_total: {
    kind: "counter",
    help: "Number of times that an APIService became unavailable, by reason.",
    labels: ["name", "reason"],
  },
  apiserver_egress_dialer_dial_start_total: {
    kind: "counter",
    help: "Number of connections begun through a proxy of the egress selection, by protocol and transport.",
    labels: ["protocol", "transport"],
  },
  apiserver_egress_dialer_dial_duration_seconds: {
    kind: "histogram",
    help: "Seconds until a proxy of the egress selection had connected, by protocol and transport.",
    labels: ["protocol", "transport"],
    buckets: DIAL_SECONDS,
  },
  apiserver_egress_dialer_dial_failure_count: {
    kind: "counter",
    help: "Number of failed connections through a proxy of the egress selection, by protocol, transport and stage: connect, or proxy.",
    labels: ["protocol", "transport", "stage"],
  },
  apiserver_rerouted_request_total: {
    kind: "counter",
    since: "1.28",
    help: "Number of requests that another API server answered because this one does not serve their resource, by status code.",
    labels: ["code", "group", "version", "resource"],
  },
  apiserver_peer_proxy_errors_total: {
    kind: "counter",
    since: "1.36",
    help: "Number of requests that could not be forwarded to another API server.",
    labels: ["type", "group", "version", "resource"],
  },
  apiserver_peer_discovery_sync_errors_total: {
    kind: "counter",
    since: "1.36",
    help: "Number of failed attempts to read which resources another API server serves.",
    labels: ["type"],
  },
  aggregator_discovery_nopeer_requests_total: {
    kind: "counter",
    since: "1.36",
    help: "Requests for aggregated discovery without the resources of the other API servers.",
    labels: [],
  },
  aggregator_discovery_peer_aggregated_cache_hits_total: {
    kind: "counter",
    since: "1.36",
    help: "Requests for aggregated discovery with the resources of the other API servers that the cache answered.",
    labels: [],
  },
  aggregator_discovery_peer_aggregated_cache_misses_total: {
    kind: "counter",
    since: "1.36",
    help: "Documents of aggregated discovery that were merged with the resources of the other API servers.",
    labels: [],
  },
  apiserver_certificate_expiration_timestamp_seconds: {
    kind: "gauge",
    joining: "min",
    help: "Time at which the first of the certificates in use of an option expires.",
    labels: ["option"],
  },
  apiserver_configuration_reloads_total: {
    kind: "counter",
    help: "Reloads of changed option files, by outcome.",
    labels: ["option", "result"],
  },
  version_info: {
    kind: "gauge",
    joining: "max",
    help: "Release that the server emulates, and the oldest one that it stays compatible with.",
    labels: ["component", "binary", "emulation", "min_compat"],
    since: "1.33",
  },
  registered_metrics_total: {
    kind: "counter",
    joining: "max",
    help: "Metrics that the server registered, by stability and by the release that deprecates them.",
    labels: ["stability_level", "deprecated_version"],
    stability: "BETA",
    since: "1.26",
  },
  hidden_metrics_total: {
    kind: "counter",
    joining: "max",
    help: "Metrics that are hidden because they are deprecated.",
    labels: [],
    stability: "BETA",
    since: "1.26",
  },
  disabled_metrics_total: {
    kind: "counter",
    joining: "max",
    help: "Metrics that --disabled-metrics disables.",
    labels: [],
    stability: "BETA",
    since: "1.26",
  },
} as const;
