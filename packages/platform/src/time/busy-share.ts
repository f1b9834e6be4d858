// How busy the event loop of this thread is, as the run time counts it.
import { performance } from "node:perf_hooks";

/** @returns share of the time since it was last called in which the loop was at work, from 0 to 1 */
export function busyShareOfLoop(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
