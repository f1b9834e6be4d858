// How the cost of something grows with what it is given, told by ratios: it does not matter how fast the machine is, nor what else it
// does.

/** Makes the input at a size, and answers with what is to be measured. */
export type Growing = (size: number) => () => unknown;

/** By so much the input grows. */
const TIMES = 4;

/** What is linear, or nearly, costs less than this for four times the input; what is quadratic costs sixteen times as much. */
export const LINEAR_MAX = 10;

/** Once the ratio is below {@link LINEAR_MAX} it is not measured again: other work only ever adds to it. */
const ROUNDS = 20;
/** Nor is what no other work explains, once it has been seen a few times: one round may have met a collection of garbage. */
const BEYOND_DOUBT = 4 * LINEAR_MAX;
const DOUBTED_ROUNDS = 4;
/** What costs no more when there is more of it was refused for its size, and says nothing. */
const REFUSED_BELOW = 2;
const WARM_UP_RUNS = 10;
/** What is measured at once takes about so long: of less, a pause for garbage is the larger part. */
const MEASURED_MICROSECONDS = 10_000;
const RUNS_MAX = 2000;

/**
 * @returns how many times as much processor time it takes when there is four times as much of it. A step is no growth: what fills more
 * than the young generation of the heap costs several times as much at once, and no more than its share from there on. So what
 * seems more than linear is asked again from where it ended.
 */
export async function growthOf(make: Growing, size: number): Promise<number> {
  const growth = await growthFrom(make, size);
  if (growth < LINEAR_MAX || growth > BEYOND_DOUBT) return growth;
  const further = await growthFrom(make, size * TIMES);
  return further < REFUSED_BELOW ? growth : Math.min(growth, further);
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
    const growth = least.large / least.small;
    if (growth < LINEAR_MAX || (growth > BEYOND_DOUBT && round >= DOUBTED_ROUNDS)) break;
  }
  return least.large / least.small;
}

/** In microseconds of this process. */
async function cost(run: () => unknown, times: number): Promise<number> {
  const start = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await run();
  const { user, system } = process.cpuUsage(start);
  return Math.max(1, user + system);
}
