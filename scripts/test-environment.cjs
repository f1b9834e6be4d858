// Where tests run: as jest's own for Node.js, but that programs which tests start do not hear of the person's surroundings. This file runs
// in jest's worker itself, whose environment they inherit.
const { TestEnvironment } = require("jest-environment-node"); // comes with jest

// Jest asks for colours in its workers where it runs on a terminal itself: they would stand in what tests read.
delete process.env.FORCE_COLOR;

// Other programs speak the language that tests know, and do not warn of one that the machine has not.
process.env.LC_ALL = "C.UTF-8";

// What is tested runs on this machine: no proxy that the machine may have leads to it.
for (const name of ["NO_PROXY", "no_proxy"]) {
  process.env[name] = [process.env[name], "127.0.0.1", "localhost"].filter(Boolean).join(",");
}

module.exports = TestEnvironment;
