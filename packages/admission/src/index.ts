// Public interface of the admission package: the admission chain, its plugins, and the dependencies that they read.
export type { AdmissionObserver, AdmissionTiming } from "./chain/chain";
export { createAdmissionChain } from "./chain/chain";
export { defaultPluginNames, enabledPlugins, listedPlugins, pluginsOf } from "./chain/plugin-table";
export type {
  AdmissionDependencies,
  Allowance,
  Allowances,
  ConversionReader,
  FoundObject,
  KindReader,
  MaybePromise,
  MentionedScope,
  NamespaceReader,
  NamespaceState,
  ObjectHead,
  ObjectLister,
  ObjectPlace,
  ObjectReader,
  ObjectWriter,
  PluginOptions,
  RemoteService,
  RemoteServiceOptions,
  RemoteServices,
  RoleReader,
} from "./contract/dependencies";
export type {
  PluginConfiguration,
  PluginFactory,
} from "./contract/plugin";
export type { PodSecurityObserver, PodSecurityTarget } from "./contract/pod-security-observer";
export type { ConditionsCheck, PolicyCheck, PolicyObserver } from "./contract/policy-observer";
export { NotReadyError } from "./contract/refusal";
export { WebhookCallError, type WebhookCaller, type WebhookTarget } from "./contract/webhook-caller";
export type { CalledWebhook, WebhookObserver, WebhookType } from "./contract/webhook-observer";
export { withSelectorRules } from "./devices/selector-rules";
export { isDeletionProtected } from "./guards/deletion-protection";
export { TokenBuckets } from "./plugins/event-rate-limit/token-buckets";
export { withExpressionRules } from "./policies/policy-expression-rules";
export { typeCheckingSteps } from "./policies/type-checking";
export { withConditionRules } from "./webhooks/condition-rules";
