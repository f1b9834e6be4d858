// Starts the controllers in the process of a server. They connect to its address like any client.
import type { Companion, CompanionServer } from "@orch/apiserver";
import { controllerSettings } from "./controller-options";

/**
 * Starts the controllers. On a store shared with other servers, they run after leader election; a store of its own
 * needs none.
 */
export async function startControllers({
  kubeconfig,
  operatorKubeconfig,
  publicUrl,
  accountKeyFile,
  authorityFiles,
  vocabulary,
  sharesStore,
  logger,
  commandLine,
}: CompanionServer): Promise<Companion> {
  if (kubeconfig === undefined) {
    logger.warn(
      authorityFiles === undefined
        ? "no duties here, for this server has no authority of its own: start a controller manager beside it"
        : "no duties here, for there was no room for their client configuration: start again when there is",
    );
    return { stop: async () => {} };
  }
  // Loaded after the server has started, so that it does not delay the start.
  const { Client, loadConnection } = require("@orch/client") as typeof import("@orch/client");
  const { LeaderElectedControllers, publishClusterInfo, runControllers } =
    require("@orch/controllers") as typeof import("@orch/controllers");
  const stop = new AbortController();
  const options = {
    connection: loadConnection({ path: kubeconfig }),
    vocabulary,
    log: logger,
    ...controllerSettings({ commandLine, accountKeyFile, authorityFiles }),
  };
  const run = (): Promise<void> =>
    sharesStore ? new LeaderElectedControllers(options).run(stop.signal) : runControllers(options, stop.signal);
  async function publish(path: string): Promise<void> {
    const connection = loadConnection({ path });
    const { ca } = connection.tls;
    if (ca?.kind !== "text") return;
    const client = new Client({ connection, vocabulary, program: "cluster-info-publisher", log: logger });
    await publishClusterInfo(client, { server: publicUrl, authority: ca.text }, stop.signal);
    client.close();
  }
  const done = (async () => {
    while (!stop.signal.aborted) {
      await run().catch((error: unknown) => logger.error("the duties ended", { error: String(error) }));
    }
  })();
  const published = operatorKubeconfig === undefined ? undefined : publish(operatorKubeconfig);
  return {
    async stop() {
      stop.abort(new Error("the server is stopping"));
      await Promise.all([done, published]);
    },
  };
}
