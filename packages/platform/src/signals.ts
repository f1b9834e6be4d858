import type { Log } from "./log";

/** How a program ends. */
export interface Ending {
  readonly log: Log;
  /** Whether the end has begun already, by a signal or for another reason. */
  isEnding(): boolean;
  /** Begins it: in good order, and within the caller's own bounds. */
  end(signal: NodeJS.Signals): void;
  /** What there is to do yet where it ends at once. */
  atOnce?(): void;
}

/** One and the same that comes twice: by a terminal or a service manager, which tell the whole group, and by the program's parent. */
const SAME_MS = 250;

/** The first SIGTERM or SIGINT ends the program in good order, the second at once, with exit code 1. */
export function endOnSignals({ log, isEnding, end, atOnce }: Ending): void {
  let firstAt = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (isEnding()) {
      if (now - firstAt < SAME_MS) return;
      log.warn("second signal: ending at once", { signal });
      atOnce?.();
      process.exit(1);
    }
    firstAt = now;
    log.info("stopping", { signal });
    end(signal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
