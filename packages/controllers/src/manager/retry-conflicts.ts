import { isCode } from "@orch/machinery";

const TRIES = 5;

/** @param work reads what it changes anew each time. @throws the conflict (409) that is one too many, and all other errors at once */
export async function retryConflicts<Value>(work: () => Promise<Value>, triesMax = TRIES): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCode(error, 409) || tries >= triesMax) throw error;
    }
  }
}
