// How long admission takes, for the metrics.

import type { AdmissionObserver, AdmissionTiming } from "@orch/admission";
import { type BucketSeries, errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "./server-metrics";

export function admissionObserver(metrics: ServerMetrics, logger: Logger): AdmissionObserver {
  const passes = metrics.histogram("apiserver_admission_step_admission_duration_seconds");
  const plugins = metrics.histogram("apiserver_admission_controller_admission_duration_seconds");
  // Found again by two short strings; label sets are resolved once.
  const known = new Map<string, BucketSeries>();

  function seriesOf(name: string, { phase, operation, rejected }: AdmissionTiming): BucketSeries {
    const key = `${name} ${phase} ${operation} ${rejected}`;
    let series = known.get(key);
    if (series === undefined) {
      const labels = { type: phase, operation, rejected: String(rejected) };
      series = name === "" ? passes.labels(labels) : plugins.labels({ name, ...labels });
      known.set(key, series);
    }
    return series;
  }

  return {
    pass: (timing) => seriesOf("", timing).observe(timing.seconds),
    plugin: (name, timing) => seriesOf(name, timing).observe(timing.seconds),
    failed: (plugin, error) => logger.error("an admission plugin failed", { plugin, ...errorFields(error) }),
  };
}
