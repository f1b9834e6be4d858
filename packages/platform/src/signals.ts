import type { Log } from "./log";

/** How a program ends. */
export interface Ending {
  readonly log: Log;
  /** Whether the end has begun already, by a signal or for another reason. */
  isEnding(): boolean;
  /** Begins it: in good order, and within the caller's own bounds. */
  end(signal: NodeJS.Signals): void;
}

/** The first SIGTERM or SIGINT ends the program in good order, the second at once, with exit code 1. */
export function endOnSignals({ log, isEnding, end }: Ending): void {
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding()) {
      log.warn("second signal: ending at once", { signal });
      process.exit(1);
    }
    log.info("stopping", { signal });
    end(signal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
