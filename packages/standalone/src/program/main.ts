// One process with everything: the API server with its own options, and beside it, as its client, the duties.
import { superviseIfAsked } from "@orch/platform";

const OPENING = `Serves the resource API over TLS, and does the duties of the controller manager beside it in the same process.

Usage: orch-standalone [options]

The options are those of orch-apiserver. Without any it keeps its objects in .orch, listens on port 6443, and writes
.orch/admin.kubeconfig for its operator.`;

const words = process.argv.slice(2);
// Whoever watches over others loads nothing of what they do.
if (!superviseIfAsked(words)) {
  const { runProgram } = require("@orch/apiserver") as typeof import("@orch/apiserver");
  const { startDuties } = require("./start-duties") as typeof import("./start-duties");
  void runProgram(words, { opening: OPENING, companion: startDuties });
}
