// How many connections each worker is to give up, so that all have about as many. Who is given up comes back, to any of them.

/** Of its share: less is not worth a client's trouble. */
const SLACK = 0.1;
const SLACK_MIN = 2;
/** At once: each costs a handshake. */
const SHED_MAX = 20;

/** @param counts of each worker @returns how many each has too many */
export function surplusOf(counts: readonly number[]): readonly number[] {
  const all = counts.reduce((sum, each) => sum + each, 0);
  const share = all / counts.length;
  const slack = Math.max(share * SLACK, SLACK_MIN);
  return counts.map((count) => (count - share > slack ? Math.min(Math.ceil(count - share), SHED_MAX) : 0));
}
