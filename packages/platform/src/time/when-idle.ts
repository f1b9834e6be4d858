// Utilization of this thread's event loop, as measured by Node.js, and deferral of low-priority work until the process
// is idle: at a start everything is requested at once, by code that is not optimized yet.

import { performance } from "node:perf_hooks";
import { type Clock, systemClock } from "./clock";

export interface IdleOptions {
  readonly clock?: Clock;
  /** Returns the share of the time since the last call in which the process was busy, from 0 to 1. */
  readonly busyShare?: () => number;
}

/** Time of the first check and of the last one. */
const FIRST_MS = 5_000;
const LAST_MS = 30_000;
const LOOK_MS = 1_000;
/** Maximum share of busy time of an idle process. */
const QUIET_SHARE = 0.1;

/**
 * Calls back once, when the process was almost idle for a second, and at the latest after 30 seconds. The timer does
 * not keep the process alive.
 * @returns cancels it
 */
export function whenIdle(
  callback: () => void,
  { clock = systemClock, busyShare = busyShareOfLoop() }: IdleOptions = {},
): () => void {
  let cancel: () => void;
  const wait = (delayMs: number, leftMs: number): void => {
    cancel = clock.after(
      delayMs,
      () => {
        const isQuiet = busyShare() < QUIET_SHARE;
        if (isQuiet || leftMs <= 0) callback();
        else wait(LOOK_MS, leftMs - LOOK_MS);
      },
      { background: true },
    );
  };
  // Discards the utilization of the start itself.
  cancel = clock.after(
    FIRST_MS - LOOK_MS,
    () => {
      busyShare();
      wait(LOOK_MS, LAST_MS - FIRST_MS);
    },
    { background: true },
  );
  return () => cancel();
}

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
