// Balances connections between workers: the number that each worker should close. Their clients reconnect, to any
// worker.

/** Tolerated excess relative to a worker's share: less does not justify a reconnection. */
const SLACK = 0.1;
const SLACK_MIN = 2;
/** Maximum number of connections closed at once, because each costs a handshake. */
const SHED_MAX = 20;

/** Returns the surplus of each worker. @param counts connections of each worker */
export function surplusConnections(counts: readonly number[]): readonly number[] {
  const all = counts.reduce((sum, each) => sum + each, 0);
  const share = all / counts.length;
  const slack = Math.max(share * SLACK, SLACK_MIN);
  return counts.map((count) => (count - share > slack ? Math.min(Math.ceil(count - share), SHED_MAX) : 0));
}
