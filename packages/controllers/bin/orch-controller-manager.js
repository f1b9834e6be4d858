#!/usr/bin/env node
// In the repository, for npm links programs at installation, when dist/ may not be there yet.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const main = join(__dirname, "../dist/main.js");
if (existsSync(main)) {
  require(main);
} else {
  console.error("orch-controller-manager is not built yet: run make build");
  process.exitCode = 1;
}
