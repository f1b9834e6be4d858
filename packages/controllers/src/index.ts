// The controllers, which run in one process for the whole cluster.
export { type PublishedServer, publishClusterInfo } from "./cluster-info/publish-cluster-info";
export { EVERY_CONTROLLER } from "./controllers/every-controller";
export { chosenControllers } from "./manager/chosen-controllers";
export type { Controller, ControllerOptions } from "./manager/controller";
export { type ElectionSettings, LeaderElectedControllers } from "./manager/leader-elected-controllers";
export { type RunControllersOptions, runControllers } from "./manager/run-controllers";
export { SharedViews } from "./manager/shared-views";
export { accountOf } from "./manager/upstream-controllers";
export {
  besideServerProblems,
  electionOf,
  type ManagerOptions,
  optionsBesideServer,
  runSettingsOf,
} from "./program/run-settings";
