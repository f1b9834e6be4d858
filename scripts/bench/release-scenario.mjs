// Cost of writes at two releases of this tree: two servers that differ only in the emulated release, measured in turns.
// A figure is the median of the ratios of neighbouring rounds with the 95 % interval of that median. Several fresh pairs
// of servers follow each other, because two processes of one program differ too. Settings:
//   BENCH_RELEASES      the two releases (1.26,1.36); the same one twice shows the noise
//   BENCH_PAIRS         pairs of servers (4)
//   BENCH_ROUNDS        measured rounds of a pair (20), after BENCH_FIRST_ROUNDS in which the code is compiled (12)
//   BENCH_REQUESTS      requests of a round (240)
import { median } from "./in-turns.mjs";

const RELEASES = ["1.26", "1.36"];
const NAMESPACE = "bench-releases";
/** Objects that updates go to. */
const OBJECTS = 48;
const {
  BENCH_RELEASES = RELEASES.join(),
  BENCH_PAIRS = "4",
  BENCH_ROUNDS = "20",
  BENCH_FIRST_ROUNDS = "12",
  BENCH_REQUESTS = "240",
} = process.env;

/** @param verbs verbs of release-requests.mjs by plural */
export const releaseScenario = (verbs) => ({
  fresh: true,
  onDemand: true,
  async run(bench) {
    const series = new Map();
    for (let pair = 0; pair < Number(BENCH_PAIRS); pair += 1) await measurePair(bench, verbs, series);
    const notes = [...series].map(([what, rounds]) => described(what, rounds));
    const { last } = [...series.values()][0].at(-1);
    return { ours: last, notes: [`CPU of ${BENCH_RELEASES.replace(",", " and ")} in µs a request`, ...notes] };
  },
});

async function measurePair(bench, verbs, series) {
  const servers = [];
  for (const release of BENCH_RELEASES.split(",")) servers.push(await begin(bench, release, Object.keys(verbs)));
  const all = Object.entries(verbs).flatMap(([plural, each]) => each.map((verb) => ({ plural, verb })));
  let firstIndex = OBJECTS;
  for (let round = -Number(BENCH_FIRST_ROUNDS); round < Number(BENCH_ROUNDS); round += 1) {
    for (const { plural, verb } of all) {
      const figures = [];
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const { target, pid } = servers[at];
        const make = { plural, verb, namespace: NAMESPACE, objects: OBJECTS, port: target.port, firstIndex };
        figures[at] = await bench.load("timed", {
          maker: "release",
          make,
          target,
          serverPid: pid,
          concurrency: bench.concurrency,
          warmupMs: 0,
          durationMs: 60_000,
          count: Number(BENCH_REQUESTS),
          awake: true,
        });
      }
      const what = `${verb} ${plural}`;
      if (round >= 0) series.set(what, [...(series.get(what) ?? []), { figures, last: figures[1] }]);
    }
    firstIndex += Number(BENCH_REQUESTS);
  }
  for (const server of servers) await bench.stopWithStore(server);
}

/** Starts a server of a release with the objects that updates go to. */
async function begin(bench, release, plurals) {
  const server = await bench.startServer([
    "--vocabulary=kubernetes",
    `--emulated-release=${release}`,
    "--disable-admission-plugins=",
    // The default range has 254 addresses, fewer than the services of a run.
    "--service-cluster-ip-range=10.64.0.0/14",
  ]);
  const post = async (path, object) => {
    const { status, body } = await bench.fetchFrom(server, path, { method: "POST", body: JSON.stringify(object) });
    if (status !== 201) throw new Error(`${path} answered ${status}: ${body}`);
  };
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  await post(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
  for (const plural of plurals) {
    const order = { plural, namespace: NAMESPACE, objects: OBJECTS, port: server.target.port };
    await bench.load("keep", { target: server.target, ...order });
  }
  return server;
}

function described(what, rounds) {
  const [older, newer] = [0, 1].map((at) => rounds.map(({ figures }) => figures[at].cpuMicrosPerOperation));
  const ratios = older.map((micros, at) => newer[at] / micros);
  const text = (values) => `median ${median([...values]).toFixed(0)}, least ${Math.min(...values).toFixed(0)}`;
  const [low, high] = interval(ratios).map((ratio) => ratio.toFixed(3));
  const least = Math.min(...newer) / Math.min(...older);
  return `${what}: ${text(older)}; ${text(newer)}; ratio ${median(ratios).toFixed(3)} (${low} to ${high}, ${ratios.length} rounds), of the least ${least.toFixed(3)}`;
}

/** Returns the 95 % interval of the median, which the ranks around the middle bound. */
function interval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = 0.98 * Math.sqrt(sorted.length);
  const at = (rank) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))];
  return [at(sorted.length / 2 - half - 0.5), at(sorted.length / 2 + half - 0.5)];
}
