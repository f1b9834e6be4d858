// Test environment: that of Jest for Node.js, with environment variables of the user replaced. This file runs in the
// Jest worker, whose environment the programs that tests start inherit.
const { TestEnvironment } = require("jest-environment-node"); // comes with jest

// Jest sets FORCE_COLOR in its workers when it runs on a terminal. Colour codes would appear in output that tests read.
delete process.env.FORCE_COLOR;

// Other programs print messages in English and do not warn about a locale that is not installed.
process.env.LC_ALL = "C.UTF-8";

// Connections to programs under test bypass any configured proxy.
for (const name of ["NO_PROXY", "no_proxy"]) {
  process.env[name] = [process.env[name], "127.0.0.1", "localhost"].filter(Boolean).join(",");
}

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // Tests of releases install packages.
    if (config.projectConfig.displayName?.name !== "deploy") leaveAuthorities();
  }
};

/** Every program of Node.js reads these certificates at its start, which takes 70 ms of a processor. npm needs them. */
function leaveAuthorities() {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  if (NODE_EXTRA_CA_CERTS) process.env.NPM_EXTRA_CA_CERTS = NODE_EXTRA_CA_CERTS;
  delete process.env.NODE_EXTRA_CA_CERTS;
}
