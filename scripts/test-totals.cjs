// Jest reporter that writes the totals of a run to .build/test-totals.json, for .ci/run.
const { mkdirSync, writeFileSync } = require("node:fs");

module.exports = class TestTotals {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    mkdirSync(".build", { recursive: true });
    // A test file that cannot be loaded counts as one failure.
    const totals = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
    writeFileSync(".build/test-totals.json", JSON.stringify(totals));
  }
};
