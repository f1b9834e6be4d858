// Runs controllers beside a server, as clients of it.
import type { ConnectionSettings } from "@orch/client";
import type { Controller } from "@orch/controllers";
import { silentLog } from "@orch/platform";
import type { VocabularyName } from "@orch/schema";
import { runForTests } from "../controllers/run-for-tests";

export interface RunningControllers {
  stop(): Promise<void>;
}

/** Interval between the starts of two controllers, so that they do not delay the first requests of the test. */
const START_INTERVAL_MS = 4;

export function startControllers(
  controllers: readonly Controller[],
  of: { readonly connection: ConnectionSettings; readonly vocabulary: VocabularyName },
): RunningControllers {
  const end = new AbortController();
  const how = { startIntervalMs: START_INTERVAL_MS, log: silentLog };
  const done = runForTests({ ...of, ...how, controllers }, end.signal);
  return {
    async stop() {
      end.abort(new Error("the test server stops"));
      await done;
    },
  };
}
