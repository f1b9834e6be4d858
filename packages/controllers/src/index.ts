// The controllers, which run in one process for the whole cluster.
export { type PublishedServer, publishClusterInfo } from "./cluster-info/publish-cluster-info";
export { EVERY_DUTY } from "./duties/every-duty";
export { chosenDuties } from "./manager/chosen-duties";
export type { Duty, DutyOptions } from "./manager/duty";
export { accountOf } from "./manager/field-duties";
export { type ElectionSettings, LedDuties } from "./manager/led-duties";
export { type RunDutiesOptions, runDuties } from "./manager/run-duties";
export { SharedViews } from "./manager/shared-views";
export {
  besideServerProblems,
  electionOf,
  type ManagerOptions,
  optionsBesideServer,
  runSettingsOf,
} from "./program/run-settings";
