// Whether a server holds on to anything of the requests that it has answered: its memory before and behind many of all kinds, when as much
// is stored as before and it has been quiet for a while. Resident memory has room in it that the collector keeps; what is in use has not.
import { setTimeout as sleep } from "node:timers/promises";
import { collection, NAMESPACE } from "./objects.mjs";
import { residentMebibytes } from "./process-figures.mjs";

const OBJECTS = 1000;
/** Of each round; what is created is deleted in it. */
const COUNTS = { create: 3000, getEach: 5000, update: 3000, mergePatch: 2500, apply: 2000, fixed: 500, remove: 3000 };
const WATCHED = { watchers: 20, writes: 500, rounds: 1, warmupRounds: 0 };
const PER_ROUND = Object.values(COUNTS).reduce((sum, count) => sum + count, 0) + 2 * WATCHED.writes;
/** Until everything has its size: rings of events, compiled code, what the collector keeps for itself. */
const FIRST_ROUNDS = 3;

/** @param settleMs by then a process that nobody asks for anything has given back what it can */
export const growthScenario = (requests, { settleMs }) => ({
  fresh: true,
  onDemand: true,
  async run(bench) {
    const { target, pid: serverPid } = bench.server;
    await bench.makeNamespace(NAMESPACE);
    await bench.load("fill", { target, namespace: NAMESPACE, from: 0, to: OBJECTS });
    const namespace = await bench.namespace();
    const timed = (maker, make, count) =>
      bench.timed({ maker, make, concurrency: bench.concurrency, warmupMs: 0, durationMs: 600_000, count });
    const round = async () => {
      const created = { namespace, firstIndex: 0 };
      const makes = {
        create: created,
        getEach: { objects: OBJECTS },
        update: { objects: OBJECTS },
        mergePatch: { objects: OBJECTS },
        apply: { objects: OBJECTS },
        fixed: { path: `${collection()}?limit=100` },
        remove: created,
      };
      for (const [maker, count] of Object.entries(COUNTS)) await timed(maker, makes[maker], count);
      await bench.load("fanOut", { target, serverPid, namespace, firstIndex: 0, ...WATCHED });
      await timed("remove", created, WATCHED.writes);
    };
    const rounds = async (count) => {
      for (let done = 0; done < count; done += 1) await round();
      await sleep(settleMs);
      return { used: usedMebibytes((await bench.fetch("/metrics")).body), resident: residentMebibytes(serverPid) };
    };
    const before = await rounds(FIRST_ROUNDS);
    const measured = Math.ceil(requests / PER_ROUND);
    const after = await rounds(measured);
    const text = ({ used, resident }) => `${used.toFixed(0)} MiB in use (${resident.toFixed(0)} resident)`;
    return {
      ours: { mebibytes: after.used },
      notes: [
        `${text(before)} behind ${FIRST_ROUNDS * PER_ROUND} requests, ${text(after)} behind ${measured * PER_ROUND} more`,
      ],
    };
  },
});

const USED = ["nodejs_heap_size_used_bytes", "nodejs_external_memory_bytes"];

function usedMebibytes(metrics) {
  const text = metrics.toString();
  const bytes = USED.map((name) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)[1]));
  return bytes.reduce((sum, each) => sum + each, 0) / (1024 * 1024);
}
