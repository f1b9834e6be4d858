// The `--workers` option: decides whether a process serves by itself or supervises workers.
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { standardErrorLog } from "../logging/log-output";
import { superviseWorkers } from "./supervisor";

/**
 * Starts a supervisor when `--workers` is among the options. Invalid values are reported by the parser of all options.
 * @param before words of the command line of a worker before the options
 * @returns whether this process supervises, and must do nothing else
 */
export function superviseIfRequested(words: readonly string[], before: readonly string[] = []): boolean {
  if (!cluster.isPrimary || words[0]?.startsWith("-") !== true) return false;
  const count = workersIn(lastValueOf(words, "workers") ?? "") ?? 1;
  if (count === 1) return false;
  const format = lastValueOf(words, "logging-format") ?? "auto";
  const isText = format === "text" || (format === "auto" && process.stderr.isTTY === true);
  superviseWorkers({ count, words: [...before, ...words], log: standardErrorLog(isText ? "text" : "json") });
  return true;
}

function lastValueOf(words: readonly string[], option: string): string | undefined {
  let found: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === `--${option}`) found = words[at + 1];
    else if (word.startsWith(`--${option}=`)) found = word.slice(option.length + 3);
  }
  return found;
}

export const WORKERS_MAX = 64;

/** Parses the number of workers. @returns undefined for an invalid value */
export function workersIn(text: string): number | undefined {
  if (text === "auto") return Math.min(availableParallelism(), WORKERS_MAX);
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= WORKERS_MAX ? count : undefined;
}
