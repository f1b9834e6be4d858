// Entry point of `orch-apiserver`: parses options, runs the server and handles signals.
import { completeWords, superviseIfRequested } from "@orch/platform";

const words = completeWords(process.argv.slice(2), (given) => {
  const { withFlagFile } = require("@orch/machinery") as typeof import("@orch/machinery");
  const { knownServerFlags } = require("./server-flags") as typeof import("./server-flags");
  return withFlagFile(given, knownServerFlags);
});
// A supervisor process loads none of the server's modules.
if (words !== undefined && !superviseIfRequested(words)) {
  const { runProgram } = require("./run-program") as typeof import("./run-program");
  void runProgram(words);
}
