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
export type { PluginFlags } from "./plugin-table";
export { defaultPluginNames, enabledPlugins } from "./plugin-table";
export type { AdmissionClock, AdmissionWorld, NamespaceReader, NamespaceState, RoleReader } from "./world";
