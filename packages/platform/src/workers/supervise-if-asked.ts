// Decides whether a process serves by itself or supervises workers.
import cluster from "node:cluster";
import { standardErrorLog } from "../standard-error-log";
import { superviseWorkers } from "./supervisor";
import { workersIn } from "./workers-asked";

/**
 * Starts a supervisor when `--workers` is among the options. Invalid values are reported by the parser of all options.
 * @returns whether this process supervises, and must do nothing else
 */
export function superviseIfAsked(words: readonly string[]): boolean {
  if (!cluster.isPrimary || words[0]?.startsWith("-") !== true) return false;
  const count = workersIn(lastValueOf(words, "workers") ?? "") ?? 1;
  if (count === 1) return false;
  const format = lastValueOf(words, "logging-format") ?? "auto";
  const isText = format === "text" || (format === "auto" && process.stderr.isTTY === true);
  superviseWorkers({ count, words, log: standardErrorLog(isText ? "text" : "json") });
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
