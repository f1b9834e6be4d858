// Global teardown of jest: closes the pool of servers.
"use strict";
module.exports = async () => {
  await globalThis[Symbol.for("@orch/test-server/pool")]?.close();
};
