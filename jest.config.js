// Unit tests run from the TypeScript sources; black-box tests in test-e2e/ run the built programs.
const { readdirSync } = require("node:fs");
const { join } = require("node:path");

/**
 * Packages of this repository are loaded when one of their members is first used: each test file runs all modules that
 * it loads anew, and most use a small part of the packages below theirs.
 */
const lazy = readdirSync(join(__dirname, "packages")).map((name) => `@orch/${name}`);
const transform = {
  "^.+\\.ts$": [
    "@swc/jest",
    // Source maps are separate files. Inline maps would be read by every file that loads the code.
    {
      sourceMaps: true,
      jsc: { target: "es2022", parser: { syntax: "typescript" } },
      module: { type: "commonjs", lazy },
    },
  ],
};
const shared = {
  transform,
  runtime: "<rootDir>/scripts/test-runtime.cjs",
  // Other folders, such as .tools, hold packages of the same names.
  roots: ["<rootDir>/packages", "<rootDir>/test-e2e"],
  // Tests import what they use of jest.
  injectGlobals: false,
  testEnvironment: "<rootDir>/scripts/test-environment.cjs",
  moduleNameMapper: {
    "^@orch/([a-z-]+)$": "<rootDir>/packages/$1/src/index.ts",
  },
};

module.exports = {
  // A bound against tests that hang, not on how long they take: the machine may have other work.
  testTimeout: 60_000,
  // A worker keeps part of what its former files held, and collecting garbage takes longer with each. It is replaced.
  workerIdleMemoryLimit: "400MB",
  testSequencer: "<rootDir>/scripts/test-order.cjs",
  reporters: ["default", "<rootDir>/scripts/test-totals.cjs"],
  projects: [
    { ...shared, displayName: "unit", rootDir: __dirname, testMatch: ["<rootDir>/packages/*/src/**/*.test.ts"] },
    {
      ...shared,
      displayName: "e2e",
      rootDir: __dirname,
      testMatch: ["<rootDir>/test-e2e/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test-e2e/deploy/"],
    },
    // `make test-deploy`: packages, containers, systemd and networks of several machines, which take minutes and privileges.
    { ...shared, displayName: "deploy", rootDir: __dirname, testMatch: ["<rootDir>/test-e2e/deploy/**/*.test.ts"] },
  ],
};
