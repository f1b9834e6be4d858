// When what a duty looks at is left as it is.
import { StatusError } from "@orch/machinery";

/**
 * For workers: gives up what the server has refused so often. A server that is away, or has too much to do, says nothing of the item.
 * @param retriesMax after the first try
 */
export const refusedTooOften =
  (retriesMax: number) =>
  (failures: number, error: unknown): boolean =>
    failures > retriesMax && error instanceof StatusError && error.code < 500 && error.code !== 429;
