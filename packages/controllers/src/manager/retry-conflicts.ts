import { isCode } from "@orch/machinery";

const TRIES = 5;

/**
 * Repeats work on a conflict.
 * @param work reads the object again in each attempt
 * @throws the conflict (409) of the last attempt, and any other error at once
 */
export async function retryConflicts<Value>(work: () => Promise<Value>, triesMax = TRIES): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCode(error, 409) || tries >= triesMax) throw error;
    }
  }
}
