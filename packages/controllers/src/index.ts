// The duties that one process does for the whole cluster.
export { EVERY_DUTY } from "./duties/every-duty";
export { chosenDuties } from "./manager/chosen-duties";
export type { Duty, DutyOptions } from "./manager/duty";
export { type ElectionSettings, LedDuties, type RunDutiesOptions, runDuties } from "./manager/run-duties";
