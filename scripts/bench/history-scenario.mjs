// Cost of the history of objects per update: a server without `--history`, one that records these updates, and one that
// records those of another resource, measured in turns with the first.
import { inTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const OBJECTS = 1000;
/** Options by what they do to the updates. */
const OPTIONS = { recorded: "--history=configmaps=10", "of a resource without history": "--history=secrets=10" };

export const historyScenario = {
  fresh: true,
  async run(bench) {
    await fill(bench, bench.server);
    const notes = [];
    let ours;
    for (const [what, option] of Object.entries(OPTIONS)) {
      const other = await bench.startServer([option]);
      await fill(bench, other);
      const make = { objects: OBJECTS };
      const order = { maker: "update", make, concurrency: bench.concurrency, warmupMs: 1000, durationMs: 3000 };
      const figures = await inTurns(bench, [bench.server, other], ({ target }) => ({ ...order, target }));
      await bench.stop(other);
      const { with: beside, without } = figures;
      ours ??= figures.last;
      const times = (beside / without).toFixed(2);
      notes.push(`${what}: ${beside.toFixed(1)} µs of CPU a write, ${without.toFixed(1)} without: ${times} times`);
    }
    return { ours, notes };
  },
};

async function fill(bench, server) {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
  await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
}
