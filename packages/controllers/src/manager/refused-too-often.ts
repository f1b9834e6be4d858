// Limit of retries for rejected work.
import { StatusError } from "@orch/machinery";

/**
 * Creates a check for workers that gives up on an item after repeated rejections. Errors of an unavailable or
 * overloaded server do not count as rejections.
 * @param retriesMax number of retries after the first attempt
 */
export const refusedTooOften =
  (retriesMax: number) =>
  (failures: number, error: unknown): boolean =>
    failures > retriesMax && error instanceof StatusError && error.code < 500 && error.code !== 429;
