#!/usr/bin/env node
// kubectl runs this file for `kubectl orch …`.
process.env["ORCH_AS_PLUGIN"] = "kubectl";
require("./load-bundle")();
