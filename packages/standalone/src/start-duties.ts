// The duties beside a server in the same process. They speak to it over its address, as any client does.
import type { Companion, CompanionServer } from "@orch/apiserver";

/** On a store that other servers share one of several processes leads; a store of its own has no other. */
export async function startDuties({
  kubeconfig,
  accountKeyFile,
  vocabulary,
  sharesStore,
  logger,
}: CompanionServer): Promise<Companion> {
  if (kubeconfig === undefined) {
    logger.warn("no duties here, for this server has no authority of its own: start a controller manager beside it");
    return { stop: async () => {} };
  }
  // Loaded once the server serves: its start does not wait for this.
  const [{ loadConnection }, { LedDuties, runDuties }] = await Promise.all([
    import("@orch/client"),
    import("@orch/controllers"),
  ]);
  const stop = new AbortController();
  const own = accountKeyFile === undefined ? {} : { "service-account-private-key-file": accountKeyFile };
  const options = { connection: loadConnection({ path: kubeconfig }), vocabulary, log: logger, options: own };
  const run = (): Promise<void> =>
    sharesStore ? new LedDuties(options).run(stop.signal) : runDuties(options, stop.signal);
  const done = (async () => {
    while (!stop.signal.aborted) {
      await run().catch((error: unknown) => logger.error("the duties ended", { error: String(error) }));
    }
  })();
  return {
    async stop() {
      stop.abort(new Error("the server stops"));
      await done;
    },
  };
}
