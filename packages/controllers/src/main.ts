// Entry point of `orch-controller-manager`. Its modules are loaded from the programs' bundle if there is one.
require("@orch/platform/bin/packed")(`${__dirname}/program/main.js`);
