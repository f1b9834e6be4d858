// The files in which most time goes by begin first: one of them that begins last would keep the whole run waiting on a machine where nothing
// was run before. The others follow as ever.
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
