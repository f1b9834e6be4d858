// One process with everything: the API server with its own options, and beside it, as its client, the duties.
import { runProgram } from "@orch/apiserver";
import { startDuties } from "./start-duties";

const OPENING = `Serves the resource API over TLS, and does the duties of the controller manager beside it in the same process.

Usage: orch-standalone [options]

The options are those of orch-apiserver. Without any it keeps its objects in .orch, listens on port 6443, and writes
.orch/admin.kubeconfig for its operator.`;

void runProgram(process.argv.slice(2), { opening: OPENING, companion: startDuties });
