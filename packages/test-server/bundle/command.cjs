#!/usr/bin/env node
// The command `test-server` of the package. `npx @orch/test-server assets` prints the folder for KUBEBUILDER_ASSETS.
"use strict";
const { join } = require("node:path");

const USAGE = `Usage: npx @orch/test-server assets

assets  prints the folder of kube-apiserver, etcd and kubectl for test environments:
        export KUBEBUILDER_ASSETS=$(npx -y @orch/test-server assets)
`;
const words = process.argv.slice(2);

if (words.length === 1 && words[0] === "assets") {
  process.stdout.write(`${join(__dirname, "orch-envtest/bin")}\n`);
} else if (words.length === 1 && words[0] === "--help") {
  process.stdout.write(USAGE);
} else {
  process.stderr.write(`error: unknown command: ${words.join(" ") || "none"}\n${USAGE}`);
  process.exitCode = 2;
}
