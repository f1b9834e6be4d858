export * from "./access-errors";
export type { Admission, AdmissionOperation, AdmissionRequest } from "./admission";
export type { FieldError } from "./field-error";
export * as field from "./field-error";
export { fieldManagerErrors } from "./field-manager";
export * as fieldPath from "./field-path";
export * from "./field-selector";
export * from "./go-duration";
export * from "./group-names";
export type { LabelRequirement } from "./label-requirement";
export * from "./label-selector";
export { labelSelectorErrors } from "./label-selector-validation";
export { annotationErrors, labelErrors } from "./label-validation";
export * from "./metadata-validation";
export * from "./name-formats";
export * from "./object-errors";
export * from "./object-meta";
export * from "./request-errors";
export type {
  PrepareContext,
  ResourceDefinition,
  ResourceVerb,
  Scope,
  ServedVersion,
  Strategy,
  Subresource,
} from "./resource-definition";
export * from "./server-errors";
export type { StatusCause, StatusDetails, StatusReason } from "./status-error";
export { StatusError } from "./status-error";
export * from "./status-object";
export type { UserInfo } from "./user-info";
export * from "./version-errors";
