// Two servers that differ in one thing, or kinds of requests, asked in turns, so that what else happens on the machine happens to all.
// The load process does not sleep meanwhile: to wake it costs the server who answers, and it sleeps more the longer an answer takes.

const ROUNDS = 10;
/** Until both servers have compiled what they do. */
const FIRST_ROUNDS = 4;
const PAIRS = 5;

/**
 * @param pair the server without it, the server with it
 * @param orderOf what the load does to a server in a round
 * @returns microseconds of the servers' processor time a request, and how much more it is with it: each the median of the rounds
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
 * The same for a difference that is smaller than what two processes of one program differ by: several fresh pairs, one after the other.
 * @param begin starts a pair, and says what the load does to each of the two
 * @returns as `inTurns`, each the median of the pairs
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
 * @param kinds by name, the order of a round
 * @param told what each round of a kind has brought
 * @returns by name, the median of microseconds of processor time a request
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
