// Whether a program serves by itself, or watches over workers that do.
import cluster from "node:cluster";
import { standardErrorLog } from "../standard-error-log";
import { superviseWorkers } from "./supervisor";
import { workersIn } from "./workers-asked";

/**
 * By `--workers` among a program's options; what is wrong with it is told by whoever reads all of them.
 * @returns whether this process supervises: then it does nothing else
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
