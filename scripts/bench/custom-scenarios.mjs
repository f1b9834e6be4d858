// Cost of custom objects compared with the built-in kind that they mirror. Both are measured in turns on one server, so
// that other load on the machine affects both.
import { collection, DEFINITIONS, MIRROR, MIRROR_DEFINITION, NAMESPACE } from "./objects.mjs";

const KINDS = ["configmaps", MIRROR.plural];
const ROUNDS = 5;

/** @param needs number of built-in objects that must exist; as many custom objects are created */
export function customScenarios({ needs }) {
  const comparing = (order, { before } = {}) => ({
    needs,
    async run(bench) {
      await bench.once("custom objects", () => fillMirror(bench, needs));
      const rounds = Object.fromEntries(KINDS.map((plural) => [plural, []]));
      const orders = {};
      for (const plural of KINDS) orders[plural] = await before?.(bench, plural);
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const plural of round % 2 === 0 ? KINDS : [...KINDS].reverse()) {
          rounds[plural].push(await order(bench, { plural, round, prepared: orders[plural] }));
        }
      }
      return { ours: middleOf(rounds[MIRROR.plural]), builtIn: middleOf(rounds.configmaps) };
    },
  });
  const timed = (maker, make, { concurrency = Number.POSITIVE_INFINITY, ...more } = {}) =>
    comparing(
      (bench, { plural, round, prepared }) =>
        bench.timed({
          maker,
          make: make({ plural, round, ...prepared }),
          concurrency: Math.min(concurrency, bench.concurrency),
          warmupMs: round < 2 ? 2000 : 500,
          durationMs: 2500,
        }),
      more,
    );
  return {
    "custom-get": timed("getEach", ({ plural }) => ({ objects: 1000, plural })),
    "custom-list-5000": timed("fixed", ({ plural }) => ({ path: collection(NAMESPACE, plural) }), { concurrency: 2 }),
    "custom-create": timed(
      "create",
      ({ plural, round, namespace }) => ({ plural, namespace, firstIndex: round * 1e5 }),
      {
        before: async (bench) => ({ namespace: await bench.namespace() }),
      },
    ),
    "custom-patch": timed("mergePatch", ({ plural }) => ({ objects: 1000, plural })),
    "custom-apply": timed("apply", ({ plural }) => ({ objects: 1000, plural })),
    "custom-watch": comparing(async (bench, { plural }) => {
      const order = { namespace: await bench.namespace(), watchers: 100, writes: 300, rounds: 2, warmupRounds: 1 };
      const { target, pid: serverPid } = bench.server;
      return bench.load("fanOut", { target, serverPid, firstIndex: 0, plural, ...order });
    }),
  };
}

async function fillMirror(bench, count) {
  await bench.fetch(DEFINITIONS, { method: "POST", body: JSON.stringify(MIRROR_DEFINITION) });
  while ((await bench.fetch(collection(NAMESPACE, MIRROR.plural))).status !== 200);
  const { target } = bench.server;
  await bench.load("fill", { target, namespace: NAMESPACE, from: 0, to: count, plural: MIRROR.plural });
}

/** Returns the median round by cost per operation. */
const middleOf = (rounds) =>
  [...rounds].sort((a, b) => a.cpuMicrosPerOperation - b.cpuMicrosPerOperation)[Math.floor(rounds.length / 2)];
