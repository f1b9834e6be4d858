import type { Log } from "../logging/log";
import { reportStopping } from "./service-manager";

/** Shutdown of a program. */
export interface Ending {
  readonly log: Log;
  /** Reports whether the shutdown has begun, by a signal or for another reason. */
  isEnding(): boolean;
  /** Starts a graceful shutdown, within the caller's own time limits. */
  end(signal: NodeJS.Signals): void;
  /** Last actions before an immediate exit. */
  atOnce?(): void;
}

/**
 * Time within which a repeated signal counts as the same one: a terminal or a service manager signals the whole group,
 * and the parent process signals again.
 */
const SAME_MS = 250;

/**
 * Handles SIGTERM and SIGINT: the first starts a graceful shutdown, the second ends the process at once with exit code
 * 1.
 */
export function endOnSignals({ log, isEnding, end, atOnce }: Ending): void {
  let firstAt = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (isEnding()) {
      if (now - firstAt < SAME_MS) return;
      log.warn("second signal: exiting at once", { signal });
      atOnce?.();
      process.exit(1);
    }
    firstAt = now;
    log.info("stopping", { signal });
    reportStopping();
    end(signal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
