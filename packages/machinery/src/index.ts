export type { Admission, AdmissionOperation, AdmissionRequest } from "./admission";
export type { FieldError } from "./field-error";
export type {
  ResourceDefinition,
  ResourceVerb,
  Scope,
  ServedVersion,
  Strategy,
  Subresource,
} from "./resource-definition";
export type { StatusCause, StatusDetails, StatusReason } from "./status-error";
export { StatusError } from "./status-error";
export type { UserInfo } from "./user-info";
