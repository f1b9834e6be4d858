// Starts the controllers in the process of a server. They connect to its address like any client.
import type { Companion, CompanionServer } from "@orch/apiserver-program";
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
  queueMetrics,
  commandLine,
}: CompanionServer): Promise<Companion> {
  if (kubeconfig === undefined) {
    logger.warn(
      authorityFiles === undefined
        ? "no controllers run in this process because the server has no CA of its own: start a controller manager beside it"
        : "no controllers run in this process because the disk had no space for their client configuration: free space and restart",
    );
    return { stop: async () => {} };
  }
  // Loaded after the server has started, so that it does not delay the start.
  const { Client, loadConnection } = require("@orch/client") as typeof import("@orch/client");
  const { publishClusterInfo, runBesideServer } = require("@orch/controllers") as typeof import("@orch/controllers");
  const stop = new AbortController();
  const options = {
    connection: loadConnection({ path: kubeconfig }),
    vocabulary,
    log: logger,
    metrics: queueMetrics,
    sharesStore,
    ...controllerSettings({ commandLine, accountKeyFile, authorityFiles }),
  };
  async function publish(path: string): Promise<void> {
    const connection = loadConnection({ path });
    const { ca } = connection.tls;
    if (ca?.kind !== "text") return;
    const client = new Client({ connection, vocabulary, program: "cluster-info-publisher", log: logger });
    await publishClusterInfo(client, { server: publicUrl, authority: ca.text }, stop.signal);
    client.close();
  }
  const done = runBesideServer(options, stop.signal);
  const published = operatorKubeconfig === undefined ? undefined : publish(operatorKubeconfig);
  return {
    async stop() {
      stop.abort(new Error("the server is stopping"));
      await Promise.all([done, published]);
    },
  };
}
