// Metrics of the work queues in the process of the server.
import type { QueueMetrics, RunningWork } from "@orch/platform";
import type { ServerMetrics } from "./server-metrics";

/** Returns the metrics of a queue by its name. */
export function queueFigures(metrics: ServerMetrics): (name: string) => QueueMetrics {
  const queues = new Map<string, RunningWork>();
  metrics.beforeRendering(() => {
    for (const [name, { longestWorkMs, unfinishedWorkMs }] of queues) {
      metrics.gauge("workqueue_longest_running_processor_seconds").set({ name }, longestWorkMs / 1000);
      metrics.gauge("workqueue_unfinished_work_seconds").set({ name }, unfinishedWorkMs / 1000);
    }
  });
  return (name) => {
    const depth = metrics.gauge("workqueue_depth");
    const adds = metrics.counter("workqueue_adds_total");
    const retries = metrics.counter("workqueue_retries_total");
    const waited = metrics.histogram("workqueue_queue_duration_seconds").labels({ name });
    const worked = metrics.histogram("workqueue_work_duration_seconds").labels({ name });
    depth.set({ name }, 0);
    adds.inc({ name }, 0);
    retries.inc({ name }, 0);
    return {
      made: (queue) => void queues.set(name, queue),
      depth: (items) => depth.set({ name }, items),
      added: () => adds.inc({ name }),
      retried: () => retries.inc({ name }),
      taken: (seconds) => waited.observe(seconds),
      done: (seconds) => worked.observe(seconds),
    };
  };
}
