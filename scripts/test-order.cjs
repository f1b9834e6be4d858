// Jest sequencer that starts the longest test files first. Without recorded durations of earlier runs, a long file that
// starts last would extend the whole run. The other files keep Jest's order.
const { default: Sequencer } = require("@jest/test-sequencer");

/** Ends of paths, by duration. */
const LONGEST = [
  "test-e2e/fuzz",
  "test-e2e/readme",
  "test-e2e/hostile-standalone",
  "test-e2e/documentation",
  "test-e2e/kubectl",
  "test-e2e/hostile-inputs",
  "test-e2e/bad-input",
  "test-e2e/namespace-termination",
  "over-http/every-kind",
  "test-e2e/silent-connections",
  "test-e2e/occupying-clients",
  "over-http/published-objects",
  "test-e2e/etcd-restored",
  "test-e2e/service-allocation",
  "test-e2e/clock-steps",
  "test-e2e/aggregation",
  "test-e2e/custom-resources",
  "over-http/authorized-is-done",
  "test-e2e/release-upgrade",
  "test-e2e/consistency-across-replicas",
  "definitions/every-rule",
];

function placeOf({ path }) {
  const place = LONGEST.findIndex((name) => path.replaceAll("\\", "/").endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}

module.exports = class extends Sequencer {
  async sort(tests) {
    const usual = await super.sort(tests);
    return usual.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
};
