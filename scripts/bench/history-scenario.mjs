// Cost of the history of objects per update: fresh pairs of servers, with and without `--history`, measured in turns.
import { pairsInTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const OBJECTS = 1000;
const PAIRS = 3;

export const historyScenario = {
  fresh: true,
  async run(bench) {
    const figures = await pairsInTurns(bench, () => pairOf(bench), { pairs: PAIRS });
    const { with: on, without: off } = figures;
    const times = on / off;
    return {
      ours: figures.last,
      notes: [`${on.toFixed(1)} µs of CPU a write, ${off.toFixed(1)} without history: ${times.toFixed(2)} times`],
    };
  },
};

async function pairOf(bench) {
  const pair = [];
  for (const flags of [[], ["--history=configmaps=10"]]) {
    const server = await bench.startServer(flags);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
    await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
    await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
    pair.push(server);
  }
  const make = { objects: OBJECTS };
  const order = { maker: "update", make, concurrency: bench.concurrency, warmupMs: 1000, durationMs: 2000 };
  return { pair, orderOf: ({ target }) => ({ ...order, target }) };
}
