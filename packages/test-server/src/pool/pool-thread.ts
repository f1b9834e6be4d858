// Program of a thread with one server of a pool. Its endpoint answers the worker that uses the server.
import { parentPort, workerData } from "node:worker_threads";
import type { Manifest } from "../manifests/read-manifests";
import type { TestServerOptions } from "../options/test-server-options";
import { startServer } from "../server/start-server";
import type { TestServer } from "../server/test-server";
import type { Snapshot } from "../state/snapshot";
import { openEndpoint } from "./json-endpoint";
import type { PoolCalls, UserFacts } from "./pool-protocol";

type Handlers = {
  readonly [Name in keyof PoolCalls]: (input: PoolCalls[Name]["takes"]) => Promise<PoolCalls[Name]["gives"]>;
};

async function serve(options: TestServerOptions): Promise<void> {
  const server = await startServer(options);
  const handlers = handlersOf(server, options.vocabulary ?? "kubernetes");
  const endpoint = await openEndpoint(async (name, input) => {
    if (!Object.hasOwn(handlers, name)) throw new Error(`no call is named ${JSON.stringify(name)}`);
    return handlers[name as keyof Handlers](input as never);
  });
  parentPort?.once("message", async () => {
    await endpoint.close();
    await server.stop();
    parentPort?.postMessage({ stopped: true });
  });
  parentPort?.postMessage({ place: { url: endpoint.url, token: endpoint.token } });
}

function handlersOf(server: TestServer, vocabulary: NonNullable<TestServerOptions["vocabulary"]>): Handlers {
  const snapshots: Snapshot[] = [];
  const factsOf = ({ certificate, key, kubeconfig }: UserFacts): UserFacts => ({ certificate, key, kubeconfig });
  return {
    async facts() {
      const { url, port, ca, kubeconfig, kubeconfigPath, admin } = server;
      const users = Object.fromEntries(Object.entries(server.users).map(([name, user]) => [name, factsOf(user)]));
      return { url, port, ca, kubeconfig, kubeconfigPath, admin, vocabulary, users };
    },
    async reset() {
      await server.reset();
      snapshots.length = 0;
      return {};
    },
    async snapshot() {
      const snapshot = await server.snapshot();
      return { id: snapshots.push(snapshot) - 1, objects: snapshot.objects };
    },
    async restore({ id }) {
      const snapshot = snapshots[id];
      if (snapshot === undefined) throw new Error("snapshot: was taken before the last reset");
      await server.restore(snapshot);
      return {};
    },
    requests: async () => ({ requests: server.requests }),
    apply: async ({ manifests }) => ({ objects: await server.applyManifests(...(manifests as readonly Manifest[])) }),
    issueClient: async (user) => factsOf(server.issueClient(user)),
  };
}

serve(workerData as TestServerOptions).catch((error: unknown) => {
  parentPort?.postMessage({ failed: error instanceof Error ? error.message : String(error) });
});
