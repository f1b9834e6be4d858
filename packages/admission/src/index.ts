// May this object pass, and changed how.
export type { AdmissionChainDeps, AdmissionObserver, AdmissionPhase, AdmissionTiming } from "./chain";
export { createAdmissionChain } from "./chain";
export type {
  AdmissionPlugin,
  AdmissionRule,
  AdmittedResource,
  MutationRound,
  PluginFactory,
  ReinvocationNeed,
} from "./plugin";
export type { PluginFlags, PluginRow } from "./plugin-table";
export { defaultPluginNames, enabledPlugins, pluginsOf } from "./plugin-table";
export type { PodSecurityDecision, PodSecurityObserver, PodSecurityTarget } from "./pod-security-observer";
export { NotReadyError } from "./refusal";
export type {
  AdmissionClock,
  AdmissionWorld,
  FollowedObjects,
  KindReader,
  KnownResource,
  NamespaceReader,
  NamespaceState,
  ObjectHead,
  ObjectPlace,
  ObjectReader,
  ObjectWriter,
  PluginOptions,
  RoleReader,
  Soon,
} from "./world";
