#!/usr/bin/env node
require("@orch/platform/bin/run-built")("orch-standalone", __dirname);
