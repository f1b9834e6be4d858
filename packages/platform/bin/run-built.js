// What every program of the repository begins with: npm links programs at installation, when dist/ may not be there yet.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** Runs the package's `dist/main.js`, or says how to get it. @param bin the program's own folder, beside `dist` */
module.exports = function runBuilt(program, bin) {
  const main = join(bin, "../dist/main.js");
  if (existsSync(main)) {
    require(main);
  } else {
    console.error(`${program} is not built yet: run make build`);
    process.exitCode = 1;
  }
};
