// Identity of a worker within its group, passed by the supervisor in the environment.

export interface WorkerSeat {
  /** Number from 1; the replacement of an ended worker has the same number. */
  readonly number: number;
  readonly count: number;
  /** No worker has served before it: it does what is done once. */
  readonly isFirst: boolean;
  /** A random token shared only by the workers. */
  readonly secret: string;
}

const VARIABLE = "WORKER_SEAT";

export const seatEnvironment = (seat: WorkerSeat): Readonly<Record<string, string>> => ({
  [VARIABLE]: JSON.stringify(seat),
});

/**
 * Takes the seat out of the environment, which child processes inherit.
 * @returns undefined in a process that is not a worker
 */
export function takeSeat(environment: NodeJS.ProcessEnv): WorkerSeat | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerSeat);
}
