// Measures two servers that differ in one thing, or several kinds of requests, in turns, so that other load on the
// machine affects all of them. The load process does not sleep meanwhile: waking it costs the server time, and it would
// sleep more often with a slower server.

const ROUNDS = 10;
/** Warm-up rounds in which both servers compile their code. */
const FIRST_ROUNDS = 4;
const PAIRS = 5;

/**
 * @param pair the server without the feature and the server with it
 * @param orderOf returns the load on a server in a round
 * @returns processor time of the servers per request in microseconds, and the difference with the feature; medians of
 * the rounds
 */
export async function inTurns(bench, pair, orderOf, { rounds: count = ROUNDS, firstRounds = FIRST_ROUNDS } = {}) {
  const rounds = [];
  for (let round = 0; round < count; round += 1) {
    const figures = [];
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const order = { serverPid: pair[at].pid, awake: true, ...orderOf(pair[at], round) };
      figures[at] = await bench.load("timed", order);
    }
    if (round >= firstRounds) rounds.push(figures);
  }
  const [without, beside] = [0, 1].map((at) => median(rounds.map((figures) => figures[at].cpuMicrosPerOperation)));
  const more = median(rounds.map(([one, other]) => other.cpuMicrosPerOperation - one.cpuMicrosPerOperation));
  return { last: rounds.at(-1)[1], without, with: beside, more };
}

/**
 * Measures a difference that is smaller than the variation between two processes of one program, with several fresh
 * pairs in sequence.
 * @param begin starts a pair and returns the load on each of the two
 * @returns the same figures as `inTurns`, as medians of the pairs
 */
export async function pairsInTurns(bench, begin, { pairs: count = PAIRS, ...rounds } = {}) {
  const all = [];
  for (let number = 0; number < count; number += 1) {
    const { pair, orderOf } = await begin();
    all.push(await inTurns(bench, pair, orderOf, rounds));
    for (const server of pair) await bench.stopWithStore(server);
  }
  const of = (figure) => median(all.map((each) => each[figure]));
  return { last: all.at(-1).last, without: of("without"), with: of("with"), more: of("more") };
}

/**
 * @param kinds load of a round by name
 * @param told receives the figures of each round
 * @returns median processor time per request in microseconds, by name
 */
export async function kindsInTurns(bench, kinds, { rounds = 8, firstRounds = 3, told = () => {} } = {}) {
  const figures = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  let last;
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, orderOf] of Object.entries(kinds)) {
      last = await bench.load("timed", { awake: true, ...orderOf() });
      told(kind, last);
      if (round >= firstRounds) figures[kind].push(last.cpuMicrosPerOperation);
    }
  }
  return { last, medians: Object.fromEntries(Object.entries(figures).map(([kind, each]) => [kind, median(each)])) };
}

export function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
