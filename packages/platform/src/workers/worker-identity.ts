// Identity of a worker within its group, passed by the supervisor in the environment.

export interface WorkerIdentity {
  /** Number from 1; the replacement of an ended worker has the same number. */
  readonly number: number;
  readonly count: number;
  /** No worker has served before it: it does what is done once. */
  readonly isFirst: boolean;
  /** A random token shared only by the workers. */
  readonly secret: string;
}

const VARIABLE = "WORKER_IDENTITY";

export const identityEnvironment = (identity: WorkerIdentity): Readonly<Record<string, string>> => ({
  [VARIABLE]: JSON.stringify(identity),
});

/**
 * Takes the identity out of the environment, which child processes inherit.
 * @returns undefined in a process that is not a worker
 */
export function takeWorkerIdentity(environment: NodeJS.ProcessEnv): WorkerIdentity | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerIdentity);
}
