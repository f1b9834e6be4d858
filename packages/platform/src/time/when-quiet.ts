// When to do what nobody waits for: at a start everything is asked for at once, by code that is cold.
import { busyShareOfLoop } from "./busy-share";
import { type Clock, systemClock } from "./clock";

export interface QuietOptions {
  readonly clock?: Clock;
  /** Share of the time since it was last called in which the process had something to do, from 0 to 1. */
  readonly busyShare?: () => number;
}

/** From when on it is looked whether the process is quiet, and how long at most. */
const FIRST_MS = 5_000;
const LAST_MS = 30_000;
const LOOK_MS = 1_000;
/** A process that has less to do than this may do something else. */
const QUIET_SHARE = 0.1;

/**
 * Calls back once, when the process has had next to nothing to do for a second, and at the latest 30 seconds from now. That alone does
 * not keep the process alive.
 * @returns calls it off
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
  // What the start itself has taken is of no interest.
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
