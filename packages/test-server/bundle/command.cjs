#!/usr/bin/env node
// The command of the package: `npx @orch/test-server`.
"use strict";
const { join } = require("node:path");

const USAGE = `Usage: npx @orch/test-server COMMAND

assets              prints the folder of kube-apiserver, etcd and kubectl for test environments:
                    export KUBEBUILDER_ASSETS=$(npx -y @orch/test-server assets)
replay FILE [UNTIL] starts a server with the objects of a recording (flag --record of a server), prints its address and
                    kubeconfig, and runs until it is interrupted. UNTIL is the last change: a revision, or a time such
                    as 2026-11-27T10:00:00Z
`;
const [command, ...words] = process.argv.slice(2);

if (command === "assets" && words.length === 0) {
  process.stdout.write(`${join(__dirname, "orch-envtest/bin")}\n`);
} else if (command === "replay" && (words.length === 1 || words.length === 2)) {
  replay(words[0], words[1]).catch(fail);
} else if (command === "--help" && words.length === 0) {
  process.stdout.write(USAGE);
} else {
  fail(new Error(`unknown command: ${process.argv.slice(2).join(" ") || "none"}\n${USAGE.trimEnd()}`), 2);
}

async function replay(file, until) {
  const { startServer } = require("./index.cjs");
  const point = until === undefined ? {} : { until: /^\d+$/.test(until) ? Number(until) : until };
  // Controllers would go on from the recorded state.
  const server = await startServer({ replay: file, ...point, controllers: false });
  process.stdout.write(`# ${server.url}\nexport KUBECONFIG=${server.kubeconfigPath}\n`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.stop());
}

function fail(error, code = 1) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = code;
}
