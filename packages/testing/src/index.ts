// What the tests of several packages use.
export { type Growing, growthOf, LINEAR_MAX } from "./growth";
export { ManualClock, settled } from "./manual-clock";
