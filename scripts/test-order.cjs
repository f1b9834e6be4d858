// Jest sequencer that starts the longest test files first. Without recorded durations of earlier runs, a long file that
// starts last would extend the whole run. The other files keep Jest's order.
const { default: Sequencer } = require("@jest/test-sequencer");

const LONGEST = [
  "fuzz",
  "hostile-inputs",
  "hostile-standalone",
  "readme",
  "kubectl",
  "bad-input",
  "custom-resources",
  "silent-connections",
];

const places = new Map(LONGEST.map((name, place) => [`${name}.test.ts`, place]));
const placeOf = ({ path }) =>
  path.includes("test-e2e") ? (places.get(path.split(/[\\/]/).at(-1)) ?? places.size) : places.size;

module.exports = class extends Sequencer {
  async sort(tests) {
    const usual = await super.sort(tests);
    return usual.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
};
