// Cost and effect of API Priority and Fairness: the cost per request, and the wait of one user while another one floods
// the server.
import { vocabularyOf } from "@orch/schema";
import { pairsInTurns } from "./in-turns.mjs";
import { collection, NAMESPACE, objectName } from "./objects.mjs";

const OBJECTS = 1000;
const GROUP = "bench-users";
const OFF = "--enable-priority-and-fairness=false";

/** Returns the target of a server for a user who has full rights and is subject to priority and fairness. */
async function userOf(bench, server, name) {
  const { rbac } = vocabularyOf("orch").groups;
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: GROUP },
    subjects: [{ kind: "Group", name: GROUP, apiGroup: rbac }],
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
  };
  const body = JSON.stringify(binding);
  await bench.fetchFrom(server, `/apis/${rbac}/v1/clusterrolebindings`, { method: "POST", body });
  return bench.targetOf(server, { name, organizations: [GROUP] });
}

async function fill(bench, server) {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body });
  await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
}

/** Compares pairs of servers with and without priority and fairness, measured in turns. */
export const fairnessCost = {
  async run(bench) {
    const make = { objects: OBJECTS, query: "?resourceVersion=0" };
    const order = { maker: "getEach", make, concurrency: bench.concurrency, warmupMs: 500, durationMs: 2000 };
    const begin = async () => {
      const pair = [await bench.startServer([OFF]), await bench.startServer([])];
      const targets = new Map();
      for (const server of pair) {
        await fill(bench, server);
        targets.set(server, await userOf(bench, server, "ann"));
      }
      return { pair, orderOf: (server) => ({ ...order, target: targets.get(server) }) };
    };
    const { last, with: on, without: off, more } = await pairsInTurns(bench, begin, { rounds: 6, firstRounds: 2 });
    return {
      ours: last,
      notes: [`${on.toFixed(1)} µs of CPU a request, ${off.toFixed(1)} without: ${more.toFixed(1)} µs more`],
    };
  },
};

/**
 * One user sends occasional requests, first alone, then while another user sends on `connections` connections as fast
 * as they are answered.
 */
export const flood = ({ connections, path }) => ({
  fresh: true,
  async run(bench) {
    const notes = [];
    let ours;
    for (const flags of [[], [OFF]]) {
      const server = await bench.startServer(flags);
      await fill(bench, server);
      const [quiet, flooder] = [await userOf(bench, server, "quiet"), await userOf(bench, server, "flooder")];
      const paced = { target: quiet, path: `${collection()}/${objectName(1)}`, everyMs: 5, connections: 4 };
      const flooding = (durationMs) => bench.flood("flood", { target: flooder, path, connections, durationMs });
      await Promise.all([flooding(3000), bench.load("paced", { ...paced, durationMs: 3000 })]);
      const alone = await bench.load("paced", { ...paced, durationMs: 8000 });
      const [answers, beside] = await Promise.all([
        flooding(10_000),
        bench.load("paced", { ...paced, durationMs: 8000, afterMs: 1000 }),
      ]);
      await bench.stop(server);
      ours ??= beside;
      const name = flags.length === 0 ? "with fairness" : "without";
      const ms = (value) => `${value.toFixed(1)} ms`;
      notes.push(
        `${name}: p99 alone ${ms(alone.p99Ms)}, beside the flood ${ms(beside.p99Ms)}, ${(beside.p99Ms / alone.p99Ms).toFixed(1)} times (p50 ${ms(alone.p50Ms)}, ${ms(beside.p50Ms)}); ` +
          `answers of other codes ${beside.refused}; flood ${JSON.stringify(answers)}`,
      );
    }
    return { ours, notes };
  },
});
