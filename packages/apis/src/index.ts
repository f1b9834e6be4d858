export {
  conditionAt,
  type DefinitionCondition,
  withCondition,
  withoutCondition,
} from "./apiextensions/definition-conditions";
export { type DefinitionFindings, definitionFindings } from "./apiextensions/definition-findings";
export { type DefinitionSchema, schemaErrors, schemasOf, structureErrors } from "./apiextensions/schema-errors";
export { isSignedByItsKey } from "./certificates/certification-request";
export {
  type AlternativeName,
  NAME_OID,
  type NameAttribute,
  parseSigningRequest,
  type SigningRequest,
} from "./certificates/signing-request";
export { DEFAULT_NAMESPACE, systemNamespaces } from "./core/namespaces";
export { podLogOptionsErrors } from "./core/pods/pod-log-options";
export { qualityOfService } from "./core/pods/quality-of-service";
export type { QuotaEvaluator } from "./core/quota/evaluator";
export { QuotaEvaluators } from "./core/quota/evaluators";
export { countedUsage, isCounted, termsOf, wantedOf } from "./core/quota/quota-terms";
export { requirementOf, type ScopeRequirement, scopesText } from "./core/quota/scopes";
export { amountsOf, increase, only, sum, type Usage, ZERO } from "./core/quota/usage";
export { AddressRange } from "./core/services/address-range";
export { type ServiceAllocation, type ServiceRanges, serviceAllocationOf } from "./core/services/service-allocation";
export { type BuiltInOptions, builtInResources, virtualResources } from "./definitions/definitions";
export { EVERY_RESOURCE } from "./definitions/every-resource";
export { type BootstrapObject, bootstrapFlowControl } from "./flowcontrol/bootstrap-objects";
export { isExtendedResource } from "./formats/resource-names";
export { FIELD_GATES } from "./model/features/field-gates";
export { compareGroups, groupPriority, orderVersions, storageVersionHash } from "./model/group-priority";
export {
  DEFAULT_RELEASE,
  isEnabledByDefault,
  nextRelease,
  parseRelease,
  previousRelease,
  RELEASE_RANGE,
} from "./model/release";
export { systemPriorityClasses } from "./scheduling/system-priority-classes";
export { objectAt, objectsAt } from "./values/field-path";
