export * from "./access-errors";
export type { Admission, AdmissionOperation, AdmissionRequest, Premise } from "./admission";
export * from "./apply";
export type * from "./claims";
export * from "./continue-token";
export { copyJson } from "./copy-json";
export * from "./delete-options";
export * from "./deletion";
export * from "./der";
export * from "./feature-gate";
export type { FieldError } from "./field-error";
export * as field from "./field-error";
export { fieldManagerErrors, managerName } from "./field-manager";
export * as fieldPath from "./field-path";
export * from "./field-selector";
export * from "./flags";
export * from "./go-duration";
export * from "./group-names";
export * from "./human-duration";
export { type AddressFamily, familyOf, plainAddress } from "./ip-address";
export { jsonText } from "./json-text";
export type { LabelRequirement } from "./label-requirement";
export * from "./label-selector";
export { labelSelectorErrors } from "./label-selector-validation";
export { annotationErrors, labelErrors } from "./label-validation";
export * from "./lifecycle";
export * from "./list-options";
export * from "./metadata-validation";
export * from "./name-formats";
export * from "./name-generator";
export * from "./object-errors";
export * from "./object-meta";
export * from "./patch";
export * from "./query-parameters";
export * from "./read-semantics";
export * from "./received-status";
export { RegularExpression } from "./regular-expression";
export { dropRepeatedOwners } from "./repeated-owners";
export * from "./request-errors";
export type {
  Action,
  CompletedMember,
  Completion,
  Connection,
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
} from "./resource-definition";
export * from "./resource-version";
export { sameJson } from "./same-json";
export * from "./selectable-field";
export * from "./server-errors";
export type { StatusCause, StatusDetails, StatusReason } from "./status-error";
export { reasonOfCode, StatusError } from "./status-error";
export * from "./status-object";
export * from "./system-metadata";
export * from "./table";
export * from "./timestamp";
export type { UserInfo } from "./user-info";
export * from "./version-errors";
export * from "./warning";
export * from "./watch-options";
export * from "./write-options";
