// Defers low-priority work until the process is idle: at a start everything is requested at once, by code that is not
// optimized yet.
import { busyShareOfLoop } from "./busy-share";
import { type Clock, systemClock } from "./clock";

export interface QuietOptions {
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
export function whenQuiet(
  callback: () => void,
  { clock = systemClock, busyShare = busyShareOfLoop() }: QuietOptions = {},
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
