// Utilization of this thread's event loop, as measured by Node.js.
import { performance } from "node:perf_hooks";

/** Returns a function that reports the share of busy time since its last call, from 0 to 1. */
export function busyShareOfLoop(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Share of busy time above which the loop has no capacity to spare. */
const BUSY_SHARE = 0.5;

/** Returns a function that reports whether the loop was busy since its last call. */
export function loopIsBusy(): () => boolean {
  const busyShare = busyShareOfLoop();
  return () => busyShare() > BUSY_SHARE;
}
