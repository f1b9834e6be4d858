// Public interface of the admission package: the admission chain, its plugins, and the dependencies that they read.
export type { AdmissionChainDeps, AdmissionObserver, AdmissionPhase, AdmissionTiming } from "./chain/chain";
export { createAdmissionChain } from "./chain/chain";
export type { PluginFlags, PluginRow } from "./chain/plugin-table";
export { defaultPluginNames, enabledPlugins, listedPlugins, pluginsOf } from "./chain/plugin-table";
export type {
  AdmissionClock,
  AdmissionDependencies,
  Allowance,
  Allowances,
  ConversionReader,
  FoundObject,
  KindReader,
  KnownResource,
  MentionedScope,
  NamespaceReader,
  NamespaceState,
  ObjectHead,
  ObjectLister,
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
} from "./contract/dependencies";
export type {
  AdmissionPlugin,
  AdmissionRule,
  AdmittedResource,
  MutationRound,
  PluginConfiguration,
  PluginFactory,
  ReinvocationNeed,
} from "./contract/plugin";
export type { PodSecurityDecision, PodSecurityObserver, PodSecurityTarget } from "./contract/pod-security-observer";
export type { ConditionsCheck, PolicyCheck, PolicyObserver } from "./contract/policy-observer";
export { NotReadyError } from "./contract/refusal";
export { WebhookCallError, type WebhookCaller, type WebhookTarget } from "./contract/webhook-caller";
export type { CalledWebhook, RejectionKind, WebhookObserver, WebhookType } from "./contract/webhook-observer";
export { isDeletionProtected } from "./guards/deletion-protection";
export { KeptAllowances } from "./plugins/event-rate-limit/kept-allowances";
export { withExpressionRules } from "./policies/policy-expression-rules";
export { type TypeCheckingParts, typeCheckingSteps } from "./policies/type-checking";
export { withConditionRules } from "./webhooks/condition-rules";
