// The program that orch-envtest/bin/kube-apiserver runs.
"use strict";
const load = require("./load.cjs");
void load().envtest().runApiServer(process.argv.slice(2), process.env);
