// The duties that one process does for the whole cluster.
export { chosenDuties, DUTIES, type Duty } from "./manager/duty-table";
export { type ElectionSettings, LedDuties, type RunDutiesOptions, runDuties } from "./manager/run-duties";
