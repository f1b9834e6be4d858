// Metrics of watch starts: the requested resource version, and the history that the watch cache holds.
import type { RegistryObserver } from "@orch/registry";
import type { ServerMetrics } from "./server-metrics";

export function watchObserver(metrics: ServerMetrics): RegistryObserver {
  const initial = metrics.counter("apiserver_init_events_total");
  const windows = {
    grown: metrics.counter("watch_cache_capacity_increase_total"),
    shrunk: metrics.counter("watch_cache_capacity_decrease_total"),
  };
  return {
    watchPrimed: (resource, objects) => initial.inc({ resource }, objects),
    windowResized: (resource, change) => windows[change].inc({ resource }),
  };
}
