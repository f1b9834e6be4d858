// Entry point of every program. npm links programs at installation, when dist/ may not exist yet.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** Runs the package's `dist/main.js`, or prints how to build it. @param bin the program's folder, next to `dist` */
module.exports = function runBuilt(program, bin) {
  const main = join(bin, "../dist/main.js");
  if (existsSync(main)) {
    require(main);
  } else {
    console.error(`${program} is not built yet: run make build`);
    process.exitCode = 1;
  }
};
