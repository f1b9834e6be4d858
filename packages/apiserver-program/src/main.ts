// Entry point of `orch-apiserver`. Loads the modules from the programs' pack when there is one.
require("@orch/platform/bin/packed")(`${__dirname}/program/main.js`);
