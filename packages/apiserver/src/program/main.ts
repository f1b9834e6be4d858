// The program `orch-apiserver`: options to a running server, and signals to its end.
import { superviseIfAsked } from "@orch/platform";

const words = process.argv.slice(2);
// Whoever watches over others loads nothing of what they do.
if (!superviseIfAsked(words)) {
  const { runProgram } = require("./run-program") as typeof import("./run-program");
  void runProgram(words);
}
