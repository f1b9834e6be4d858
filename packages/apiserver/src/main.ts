// Where `orch-apiserver` begins; its modules come out of the programs' pack, where there is one.
require("@orch/platform/bin/packed")(`${__dirname}/program/main.js`);
