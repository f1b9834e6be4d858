// The standalone program: the API server with its options, and the controllers as its client in the same process.
import { superviseIfRequested } from "@orch/platform";

const OPENING = `Serves the resource API over TLS, and runs the controllers of the controller manager in the same process.

Usage: orch-standalone [options]

The options are those of orch-apiserver and of orch-controller-manager; an option of both is the server's.
Without options, the server stores its objects in .orch, listens on 127.0.0.1, port 6443, authorizes by RBAC,
and writes .orch/admin.kubeconfig for the administrator.`;

const words = process.argv.slice(2);
// A supervisor loads none of the code of its workers.
if (!superviseIfRequested(words)) {
  const { runProgram } = require("@orch/apiserver-program") as typeof import("@orch/apiserver-program");
  const { startControllers } = require("./start-controllers") as typeof import("./start-controllers");
  const { moreOptions } = require("./controller-options") as typeof import("./controller-options");
  void runProgram(words, { name: "orch-standalone", opening: OPENING, companion: startControllers, moreOptions });
}
