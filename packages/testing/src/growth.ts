// Measures the growth of costs with the input size, as a ratio: independent of the machine's speed and of other work.

/** Creates the input of a size, and returns the function to measure. */
export type Growing = (size: number) => () => unknown;

/** Factor between the two input sizes. */
const TIMES = 4;

/** Maximum growth that counts as linear, for four times the input; quadratic growth is sixteen. */
export const LINEAR_MAX = 10;

/** Maximum number of rounds. The measurement ends when the ratio is below {@link LINEAR_MAX}. */
const ROUNDS = 20;
/**
 * Number of times that the cost of the small size is measured again before a ratio counts as linear: other work that
 * raises only this cost hides growth.
 */
const CONFIRMATIONS = 4;
/**
 * Growth that other work does not explain. The measurement ends after a few rounds above it; a single round may include
 * a garbage collection.
 */
const BEYOND_DOUBT = 4 * LINEAR_MAX;
const DOUBTED_ROUNDS = 4;
/** Maximum number of measurements of growth that seems more than linear: other work may end in between. */
const ATTEMPTS = 2;
/** Ratio below which the larger input was rejected because of its size. The measurement is void then. */
const REFUSED_BELOW = 2;
const WARM_UP_RUNS = 10;
/** Minimum duration of a measurement. In a shorter one, a garbage collection pause would dominate. */
const MEASURED_MICROSECONDS = 10_000;
const RUNS_MAX = 2000;

/**
 * Returns the growth of the processor time for four times the input. A step is not growth: an input that exceeds the
 * young generation of the heap costs several times as much at once, and its share from there on. Growth that seems more
 * than linear is therefore measured again from the larger size.
 */
export async function growthOf(make: Growing, size: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= LINEAR_MAX; attempt += 1) {
    const growth = await growthFrom(make, size);
    least = Math.min(least, growth);
    if (growth < LINEAR_MAX || growth > BEYOND_DOUBT) break;
    const further = await growthFrom(make, size * TIMES);
    if (further >= REFUSED_BELOW) least = Math.min(least, further);
  }
  return least;
}

async function growthFrom(make: Growing, size: number): Promise<number> {
  const small = make(size);
  const large = make(size * TIMES);
  let spent = 0;
  let warmUps = 0;
  for (; warmUps < WARM_UP_RUNS && spent < 2 * MEASURED_MICROSECONDS; warmUps += 1) spent += await cost(small, 1);
  const runs = Math.min(RUNS_MAX, Math.ceil((MEASURED_MICROSECONDS * warmUps) / spent));
  let least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    least = {
      small: Math.min(least.small, await cost(small, runs)),
      large: Math.min(least.large, await cost(large, runs)),
    };
    for (let time = 0; time < CONFIRMATIONS && least.large / least.small < LINEAR_MAX; time += 1) {
      least = { ...least, small: Math.min(least.small, await cost(small, runs)) };
    }
    const growth = least.large / least.small;
    if (growth < LINEAR_MAX || (growth > BEYOND_DOUBT && round >= DOUBTED_ROUNDS)) break;
  }
  return least.large / least.small;
}

/** Returns the processor time of this process in microseconds. */
async function cost(run: () => unknown, times: number): Promise<number> {
  const start = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await run();
  const { user, system } = process.cpuUsage(start);
  return Math.max(1, user + system);
}
