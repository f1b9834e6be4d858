// Metrics of the controllers for dynamic resource allocation. Source: see device-metrics.ts.
import type { MetricSet } from "@orch/platform";
import type { ClaimCount, DeviceMetrics } from "../framework/device-metrics";

const EVICTION_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];
const REQUEST_SECONDS = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);
const OF_DRIVER = ["driver_name"];

/** Adds the metrics to a set. */
export function deviceMetricsIn(set: MetricSet): DeviceMetrics {
  let count: () => Iterable<ClaimCount> = () => [];
  const created = set.counter({
    name: "resourceclaim_controller_creates_total",
    help: "Creations of resource claims, by outcome and administrative access.",
    labels: ["status", "admin_access"],
  });
  set.gauge(
    {
      name: "resourceclaim_controller_resource_claims",
      help: "Resource claims, by allocation, administrative access and source.",
      labels: ["allocated", "admin_access", "source"],
    },
    (gauge) => {
      gauge.reset();
      for (const { allocated, adminAccess, source, claims } of count())
        gauge.set({ allocated: String(allocated), admin_access: String(adminAccess), source }, claims);
    },
  );
  const evicted = set.counter({
    name: "device_taint_eviction_controller_pod_deletions_total",
    help: "Pods evicted because of device taints.",
    labels: [],
  });
  const evictionSeconds = set.histogram({
    name: "device_taint_eviction_controller_pod_deletion_duration_seconds",
    help: "Seconds between the time at which a pod had to leave and its deletion.",
    labels: [],
    buckets: EVICTION_SECONDS,
  });
  const processed = set.counter({
    name: "resourcepoolstatusrequest_controller_requests_processed_total",
    help: "Processed pool status requests.",
    labels: OF_DRIVER,
  });
  const failed = set.counter({
    name: "resourcepoolstatusrequest_controller_request_processing_errors_total",
    help: "Pool status requests whose answer could not be written.",
    labels: OF_DRIVER,
  });
  const requestSeconds = set.histogram({
    name: "resourcepoolstatusrequest_controller_request_processing_duration_seconds",
    help: "Seconds spent on a pool status request.",
    labels: OF_DRIVER,
    buckets: REQUEST_SECONDS,
  });
  return {
    claimCreated({ succeeded, adminAccess }) {
      created.inc({ status: succeeded ? "success" : "failure", admin_access: String(adminAccess) });
    },
    countClaims(counting) {
      count = counting;
    },
    podEvicted(seconds) {
      evicted.inc();
      evictionSeconds.labels({}).observe(seconds);
    },
    requestProcessed(driver, { seconds, succeeded }) {
      processed.inc({ driver_name: driver });
      if (!succeeded) failed.inc({ driver_name: driver });
      requestSeconds.labels({ driver_name: driver }).observe(seconds);
    },
  };
}
