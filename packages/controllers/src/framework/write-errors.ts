// Errors of writes: conflicts, namespaces that are terminating, and repeated rejections.
import { isCode, StatusError } from "@orch/machinery";

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

/**
 * Returns whether a write was rejected because the namespace is terminating. Source: Kubernetes API, status cause
 * `NamespaceTerminating`.
 */
export const isOfEndingNamespace = (error: unknown): boolean =>
  isCode(error, 403) && error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;

/**
 * Creates a check for workers that gives up on an item after repeated rejections. Errors of an unavailable or
 * overloaded server do not count as rejections.
 * @param retriesMax number of retries after the first attempt
 */
export const refusedTooOften =
  (retriesMax: number) =>
  (failures: number, error: unknown): boolean =>
    failures > retriesMax && error instanceof StatusError && error.code < 500 && error.code !== 429;
