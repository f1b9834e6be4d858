// Memory growth: the memory of a server before and after many requests of all kinds, with the same objects stored and
// after an idle period. Resident memory includes free heap that the garbage collector keeps; used memory does not.
import { setTimeout as sleep } from "node:timers/promises";
import { collection, NAMESPACE } from "./objects.mjs";
import { residentMebibytes } from "./process-figures.mjs";

const OBJECTS = 1000;
/** Requests of each round; a round deletes what it creates. */
const COUNTS = { create: 3000, getEach: 5000, update: 3000, mergePatch: 2500, apply: 2000, fixed: 500, remove: 3000 };
const WATCHED = { watchers: 20, writes: 500, rounds: 1, warmupRounds: 0 };
const PER_ROUND = Object.values(COUNTS).reduce((sum, count) => sum + count, 0) + 2 * WATCHED.writes;
/** Warm-up rounds, in which event rings, compiled code and the heap reach their size. */
const FIRST_ROUNDS = 3;

/** @param settleMs idle time after which the process has released what it can */
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
