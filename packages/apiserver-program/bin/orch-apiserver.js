#!/usr/bin/env node
require("@orch/platform/bin/run-built")("orch-apiserver", __dirname);
