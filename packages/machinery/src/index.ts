export { copyJson } from "@orch/schema";
export * from "./apply";
export {
  ConfigurationError,
  readConfigurationFile,
  readDocument,
  withOwnVersion,
} from "./configuration/configuration-document";
export { ConfigurationFields } from "./configuration/configuration-fields";
export * from "./deletion";
export * from "./errors/access-errors";
export type { FieldError } from "./errors/field-error";
export * as field from "./errors/field-error";
export * from "./errors/object-errors";
export * from "./errors/received-status";
export * from "./errors/request-errors";
export * from "./errors/server-errors";
export type { StatusCause, StatusDetails, StatusReason } from "./errors/status-error";
export { isCode, isReason, isStatusReason, reasonOfCode, StatusError } from "./errors/status-error";
export * from "./errors/status-object";
export * from "./errors/version-errors";
export * from "./errors/warning";
export * from "./flags";
export {
  BOOTSTRAP_SECRET_PREFIX,
  bootstrapExpiryMs,
  bootstrapExtraGroups,
  bootstrapSecretFlaws,
  bootstrapText,
} from "./objects/bootstrap-secret";
export * as fieldPath from "./objects/field-path";
export { jsonText } from "./objects/json-text";
export { annotationErrors, labelErrors } from "./objects/label-validation";
export * from "./objects/metadata-validation";
export * from "./objects/name-formats";
export * from "./objects/name-generator";
export * from "./objects/object-meta";
export { dropRepeatedOwners } from "./objects/repeated-owners";
export { sameJson } from "./objects/same-json";
export * from "./objects/system-metadata";
export * from "./patch";
export * from "./requests/continue-token";
export * from "./requests/delete-options";
export { fieldManagerErrors, managerName } from "./requests/field-manager";
export { survivesHeaders } from "./requests/header-value";
export * from "./requests/list-options";
export * from "./requests/query-parameters";
export * from "./requests/read-semantics";
export * from "./requests/resource-version";
export type { UserInfo } from "./requests/user-info";
export * from "./requests/watch-options";
export * from "./requests/write-options";
export type * from "./resources/admission";
export {
  AdmittedWrite,
  type AskedParts,
  passAdmission,
  type WriteSinks,
  whenAdmitted,
} from "./resources/admitted-write";
export type * from "./resources/claims";
export * from "./resources/feature-gate";
export * from "./resources/group-names";
export * from "./resources/lifecycle";
export type {
  Action,
  CompletedMember,
  Completion,
  Connection,
  ConverterElsewhere,
  ObjectConverter,
  ObjectToConvert,
  PrepareContext,
  ResourceDefinition,
  ResourceVerb,
  Scope,
  ServedVersion,
  Strategy,
  Subresource,
  SubresourceView,
  TableColumn,
  TableTime,
} from "./resources/resource-definition";
export { ManyValuesError } from "./resources/resource-definition";
export * from "./selectors/field-selector";
export type { LabelRequirement } from "./selectors/label-requirement";
export * from "./selectors/label-selector";
export { labelSelectorErrors } from "./selectors/label-selector-validation";
export * from "./selectors/selectable-field";
export * from "./table";
export * from "./values/day";
export * from "./values/go-duration";
export * from "./values/human-duration";
export { type AddressFamily, familyOf, plainAddress } from "./values/ip-address";
export { RegularExpression } from "./values/regular-expression";
export * from "./values/timestamp";
