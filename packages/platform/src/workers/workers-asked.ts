// Value of the `--workers` option.
import { availableParallelism } from "node:os";

export const WORKERS_MAX = 64;

/** Parses the number of workers. @returns undefined for an invalid value */
export function workersIn(text: string): number | undefined {
  if (text === "auto") return Math.min(availableParallelism(), WORKERS_MAX);
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= WORKERS_MAX ? count : undefined;
}
