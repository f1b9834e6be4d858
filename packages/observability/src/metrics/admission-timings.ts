// Admission durations, for the metrics.

import type { AdmissionObserver, AdmissionTiming } from "@orch/admission";
import { type BucketSeries, errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "./server-metrics";

const PHASES: readonly AdmissionTiming["phase"][] = ["admit", "validate"];
const OPERATIONS: readonly AdmissionTiming["operation"][] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

export function admissionObserver(metrics: ServerMetrics, logger: Logger): AdmissionObserver {
  const passes = metrics.histogram("apiserver_admission_step_admission_duration_seconds");
  const plugins = metrics.histogram("apiserver_admission_controller_admission_duration_seconds");
  // Series by plugin name; "" for the whole chain. Label sets are resolved once.
  const known = new Map<string, (BucketSeries | undefined)[]>();

  function seriesOf(name: string, { phase, operation, rejected }: AdmissionTiming): BucketSeries {
    let all = known.get(name);
    if (all === undefined) {
      all = [];
      known.set(name, all);
    }
    const at = (PHASES.indexOf(phase) * OPERATIONS.length + OPERATIONS.indexOf(operation)) * 2 + Number(rejected);
    const made = all[at];
    if (made !== undefined) return made;
    const labels = { type: phase, operation, rejected: String(rejected) };
    const series = name === "" ? passes.labels(labels) : plugins.labels({ name, ...labels });
    all[at] = series;
    return series;
  }

  return {
    pass: (timing) => seriesOf("", timing).observe(timing.seconds),
    plugin: (name, timing) => seriesOf(name, timing).observe(timing.seconds),
    failed: (plugin, error) => logger.error("an admission plugin failed", { plugin, ...errorFields(error) }),
  };
}
