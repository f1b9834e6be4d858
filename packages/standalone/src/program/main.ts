// The standalone program: the API server with its options, and the controllers as its client in the same process.
import { runStandalone } from "./run-standalone";

const OPENING = `Serves the resource API over TLS, and runs the controllers of the controller manager in the same process.

Usage: orch-standalone [options]

The options are those of orch-apiserver and of orch-controller-manager; an option of both is the server's.
Without options, the server stores its objects in .orch, listens on 127.0.0.1, port 6443, authorizes by RBAC,
and writes .orch/admin.kubeconfig for the administrator.`;

runStandalone(process.argv.slice(2), { name: "orch-standalone", opening: OPENING });
