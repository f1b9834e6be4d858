// APIs added at run time: custom resources and aggregated APIs.

export { AutoRegistrar } from "./aggregation/auto-registrar";
export type { WantedRegistration } from "./aggregation/automatic-registration";
export { discoveryPath } from "./aggregation/availability";
export { AvailabilityController } from "./aggregation/availability-controller";
export { type BoundedAnswer, boundedGet } from "./aggregation/bounded-get";
export { type ClientPair, type ExtensionServer, ExtensionServers } from "./aggregation/extension-server";
export {
  identityHeaders,
  isIdentityHeader,
  plainHeaderName,
  type TrustedHeaders,
} from "./aggregation/identity-headers";
export {
  type AvailableCondition,
  type RemoteRegistration,
  registrationName,
  sameBackend,
} from "./aggregation/registration";
export { Registrations } from "./aggregation/registrations";
export { type ConverterParts, webhookConverters } from "./conversion/webhook-converter";
export {
  type CompileParts,
  type ConverterFactory,
  compileDefinition,
  type ServingState,
} from "./definitions/compile-definition";
export type { Definition, Names } from "./definitions/definition";
export { RECENT_MINUTES, RecentCosts } from "./definitions/recent-costs";
export type { ResourceHost } from "./definitions/resource-host";
export { withSchemaRules } from "./definitions/schema-rules";
export {
  type DefinitionOverview,
  ServedDefinitions,
} from "./definitions/served-definitions";
export { type DialGuard, guardedLookup, guardedResolver, literalRefusal } from "./services/dial-guard";
export {
  type ServiceReference,
  type ServiceResolver,
  serviceHostName,
  serviceResolver,
} from "./services/service-address";
export { ERROR_KINDS_SINCE } from "./structural/formats";
export { networkOf, type WebhookAddress, type WebhookClientConfig, webhookAddress } from "./webhooks/webhook-address";
export { WebhookClients } from "./webhooks/webhook-clients";
export { WebhookError } from "./webhooks/webhook-error";
