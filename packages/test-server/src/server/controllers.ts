// Runs controllers beside a server, as clients of it.
import type { ConnectionSettings } from "@orch/client";
import { type Controller, runControllers } from "@orch/controllers";
import { silentLog } from "@orch/platform";
import type { VocabularyName } from "@orch/schema";

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
  const rate = { perSecond: 0, burst: 0 };
  const how = { rate, sharesConnections: true, startIntervalMs: START_INTERVAL_MS, log: silentLog };
  const done = runControllers({ ...of, ...how, controllers }, end.signal);
  done.catch(() => {}); // reported by `stop`
  return {
    async stop() {
      end.abort(new Error("the test server stops"));
      await done;
    },
  };
}
