// Cost of the history of objects per update: two servers, with and without `--history`, measured in turns.
import { inTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const OBJECTS = 1000;

export const historyScenario = {
  fresh: true,
  async run(bench) {
    const recording = await bench.startServer(["--history=configmaps=10"]);
    const servers = [bench.server, recording];
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
    for (const server of servers) {
      await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
      await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
    }
    const make = { objects: OBJECTS };
    const order = { maker: "update", make, concurrency: bench.concurrency, warmupMs: 1000, durationMs: 3000 };
    const figures = await inTurns(bench, servers, ({ target }) => ({ ...order, target }));
    await bench.stop(recording);
    const { with: on, without: off } = figures;
    const times = on / off;
    return {
      ours: figures.last,
      notes: [`${on.toFixed(1)} µs of CPU a write, ${off.toFixed(1)} without history: ${times.toFixed(2)} times`],
    };
  },
};
