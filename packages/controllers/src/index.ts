// The controllers, which run in one process for the whole cluster.
export { publishClusterInfo } from "./controllers/bootstrap-signing/publish-cluster-info";
export { EVERY_CONTROLLER } from "./controllers/every-controller";
export { hasRootAuthorityMap, rootAuthorityMap } from "./controllers/root-ca/publish-root-authority";
export type { Controller } from "./framework/controller";
export { SharedViews } from "./framework/shared-views";
export { chosenControllers } from "./manager/chosen-controllers";
export type { ElectionSettings } from "./manager/leader-elected-controllers";
export { type RunBesideServerOptions, runBesideServer } from "./manager/run-beside-server";
export { type RunControllersOptions, runControllers } from "./manager/run-controllers";
export { askedRelease } from "./manager/served-release";
export { accountOf } from "./manager/upstream-controllers";
export {
  besideServerProblems,
  electionOf,
  embeddedManagerOptions,
  type ManagerOptions,
  runSettingsOf,
} from "./program/run-settings";
