// The package's face to other code: its modules come out of the programs' pack, where there is one. The names stand here one by one,
// for ECMAScript modules find by reading what they may import.
const { runProgram, startServer } = require("@orch/platform/bin/packed")(require.resolve("../dist/index.js"));

exports.runProgram = runProgram;
exports.startServer = startServer;
