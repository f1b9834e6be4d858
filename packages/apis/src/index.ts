export {
  AddressRange,
  amountsOf,
  ClassResources,
  claimNamedBy,
  countedUsage,
  DEFAULT_NAMESPACE,
  extendedClaimOwner,
  extendedResourceName,
  includesClaim,
  increase,
  ipAddressOf,
  isAllocatorAddress,
  isCounted,
  only,
  parentService,
  podLogOptionsErrors,
  type QuotaEvaluator,
  QuotaEvaluators,
  qualityOfService,
  requirementOf,
  type ScopeRequirement,
  type ServiceAllocation,
  type ServiceRanges,
  scopesText,
  serviceAllocationOf,
  sum,
  systemNamespaces,
  termsOf,
  type Usage,
  wantedOf,
  ZERO,
} from "@orch/apis-core";
export {
  compareGroups,
  DEFAULT_RELEASES,
  type Features,
  FIELD_GATES,
  type FieldGate,
  featuresOf,
  groupPriority,
  isEnabledByDefault,
  isExtendedResource,
  nextRelease,
  objectAt,
  objectsAt,
  orderVersions,
  parseRelease,
  previousRelease,
  RELEASE_RANGE,
  servedEarly,
  storageVersionHash,
} from "@orch/apis-model";
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
export {
  type BuiltInOptions,
  builtInResources,
  virtualResources,
} from "./definitions/definitions";
export { EVERY_RESOURCE } from "./definitions/every-resource";
export { type BootstrapObject, bootstrapFlowControl } from "./flowcontrol/bootstrap-objects";
export { withCommonEncoding } from "./internal/common-encoding";
export { systemPriorityClasses } from "./scheduling/system-priority-classes";
