#!/usr/bin/env node
require("@orch/platform/bin/run-built")("orch-controller-manager", __dirname);
