// Global setup of jest: opens the pool of servers. `globalTeardown` of the configuration closes it.
"use strict";
const load = require("./load.cjs");

const POOL = Symbol.for("@orch/test-server/pool");

/** Returns a global setup with options, such as `{ crds: ["config/crd"] }`. */
function globalSetup(options = {}) {
  return async () => {
    globalThis[POOL] = await load().pool().ServerPool.open(options);
  };
}

module.exports = globalSetup();
module.exports.globalSetup = globalSetup;
module.exports.default = module.exports;
