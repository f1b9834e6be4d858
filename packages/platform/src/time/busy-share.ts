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

/** A loop that works for more than this part of the time has none to spare. */
const BUSY_SHARE = 0.5;

/** @returns whether the loop has had little rest since it was last asked */
export function loopIsBusy(): () => boolean {
  const busyShare = busyShareOfLoop();
  return () => busyShare() > BUSY_SHARE;
}
