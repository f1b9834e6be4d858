// Runs the controllers in the process of a server. They connect to its address like any client.
import { pauseUnlessAborted, systemClock } from "@orch/platform";
import { type ElectionSettings, LeaderElectedControllers } from "./leader-elected-controllers";
import { type RunControllersOptions, runControllers } from "./run-controllers";

export interface RunBesideServerOptions extends RunControllersOptions {
  /** Whether other servers may serve the same objects: the controllers then run after leader election. Default: false. */
  readonly sharesStore?: boolean;
  readonly election?: ElectionSettings;
}

/** Pause after a failure of the controllers, in milliseconds. */
const FAILURE_PAUSE_MS = 1_000;

/**
 * Runs the controllers until the signal is aborted. Controllers that fail, or lose the leadership, are started again: the
 * server goes on, and nobody else would start them.
 */
export async function runBesideServer(
  { sharesStore = false, ...options }: RunBesideServerOptions,
  signal: AbortSignal,
): Promise<void> {
  const run = (): Promise<void> =>
    sharesStore ? new LeaderElectedControllers(options).run(signal) : runControllers(options, signal);
  while (!signal.aborted) {
    try {
      await run();
    } catch (error) {
      options.log.error("the controllers stopped", { error: String(error) });
      await pauseUnlessAborted(systemClock, FAILURE_PAUSE_MS, signal);
    }
  }
}
