// Entry point of `orch-standalone`. Its modules are loaded from the packed build, if there is one.
require("@orch/platform/bin/packed")(`${__dirname}/program/main.js`);
