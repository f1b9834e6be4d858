// Entry point of `orch-apiserver`: parses options, runs the server and handles signals.
import { superviseIfRequested } from "@orch/platform";

const words = process.argv.slice(2);
// A supervisor process loads none of the server's modules.
if (!superviseIfRequested(words)) {
  const { runProgram } = require("./run-program") as typeof import("./run-program");
  void runProgram(words);
}
