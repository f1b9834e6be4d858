// Public interface of the admission package: the admission chain, its plugins, and the world that they read.
export type { AdmissionChainDeps, AdmissionObserver, AdmissionPhase, AdmissionTiming } from "./chain";
export { createAdmissionChain } from "./chain";
export { isDeletionProtected } from "./guards/deletion-protection";
export { KeptAllowances } from "./kept-allowances";
export type { ConversionReader } from "./matching/conversion-reader";
export type {
  AdmissionPlugin,
  AdmissionRule,
  AdmittedResource,
  MutationRound,
  PluginConfiguration,
  PluginFactory,
  ReinvocationNeed,
} from "./plugin";
export type { PluginFlags, PluginRow } from "./plugin-table";
export { defaultPluginNames, enabledPlugins, listedPlugins, pluginsOf } from "./plugin-table";
export type { PodSecurityDecision, PodSecurityObserver, PodSecurityTarget } from "./pod-security-observer";
export { withExpressionRules } from "./policies/policy-expression-rules";
export type { ConditionsCheck, PolicyCheck, PolicyObserver } from "./policies/policy-observer";
export { type TypeCheckingParts, typeCheckingSteps } from "./policies/type-checking";
export { NotReadyError } from "./refusal";
export { withConditionRules } from "./webhooks/condition-rules";
export { WebhookCallError, type WebhookCaller, type WebhookTarget } from "./webhooks/webhook-caller";
export type { CalledWebhook, RejectionKind, WebhookObserver, WebhookType } from "./webhooks/webhook-observer";
export type {
  AdmissionClock,
  AdmissionWorld,
  Allowance,
  Allowances,
  FollowedObjects,
  FoundObject,
  KindReader,
  KnownResource,
  MentionedScope,
  NamespaceReader,
  NamespaceState,
  ObjectHead,
  ObjectPlace,
  ObjectReader,
  ObjectWriter,
  Pauses,
  PluginOptions,
  RemoteService,
  RemoteServiceOptions,
  RemoteServices,
  RoleReader,
  Soon,
} from "./world";
