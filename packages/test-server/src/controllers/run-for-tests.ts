// Runs controllers beside a server of a test: as fast as they can, over few connections.
import { type RunBesideServerOptions, runBesideServer } from "@orch/controllers";

const UNLIMITED = { perSecond: 0, burst: 0 };

export type RunForTestsOptions = Required<
  Pick<RunBesideServerOptions, "connection" | "vocabulary" | "controllers" | "log">
> &
  Pick<RunBesideServerOptions, "startIntervalMs">;

/** Runs the controllers until the signal is aborted. */
export const runForTests = (options: RunForTestsOptions, signal: AbortSignal): Promise<void> =>
  runBesideServer({ ...options, rate: UNLIMITED, sharesConnections: true }, signal);
