// Runs the API server and the controllers, for the programs that are made of both.
import type { ProgramOptions } from "@orch/apiserver-program";
import { completeWords, superviseIfRequested } from "@orch/platform";

export interface StandaloneOptions extends Pick<ProgramOptions, "name" | "opening" | "ready"> {
  /** Words of the command line of a worker before the options. Default: none. */
  readonly before?: readonly string[];
}

/** @param words options of the server and of the controllers */
export function runStandalone(words: readonly string[], { before = [], ...options }: StandaloneOptions): void {
  const complete = completeWords(words, withFile);
  // A supervisor loads none of the code of its workers.
  if (complete === undefined || superviseIfRequested(complete, before)) return;
  const { runProgram } = require("@orch/apiserver-program") as typeof import("@orch/apiserver-program");
  const { startControllers } = require("./start-controllers") as typeof import("./start-controllers");
  const { moreOptions } = require("./controller-options") as typeof import("./controller-options");
  void runProgram(complete, { ...options, companion: startControllers, moreOptions });
}

function withFile(words: readonly string[]) {
  const { withFlagFile } = require("@orch/machinery") as typeof import("@orch/machinery");
  const { knownServerFlags } = require("@orch/apiserver-program") as typeof import("@orch/apiserver-program");
  const { moreOptions } = require("./controller-options") as typeof import("./controller-options");
  return withFlagFile(words, () => {
    const server = knownServerFlags();
    const more = moreOptions(server.table);
    return { table: { ...more.table, ...server.table }, aliases: { ...server.aliases, ...more.aliases } };
  });
}
