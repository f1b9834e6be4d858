// Which of several workers a process is: told by its supervisor, in its environment.

export interface WorkerSeat {
  /** From 1; whoever takes a dead worker's place has its number. */
  readonly number: number;
  readonly count: number;
  /** Nobody has served before it: what is said once is said by it. */
  readonly isFirst: boolean;
  /** The same for all of them, and in nobody else's hands: random, as long as a token. */
  readonly secret: string;
}

const VARIABLE = "WORKER_SEAT";

export const seatEnvironment = (seat: WorkerSeat): Readonly<Record<string, string>> => ({
  [VARIABLE]: JSON.stringify(seat),
});

/** Takes it out of the environment, which programs that this one starts inherit. @returns undefined in a process of its own */
export function takeSeat(environment: NodeJS.ProcessEnv): WorkerSeat | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerSeat);
}
