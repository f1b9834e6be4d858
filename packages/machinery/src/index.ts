export { copyJson } from "@orch/schema";
// Server-side apply and the tracking of field ownership. Pure: the caller reads, converts, validates and stores.
//
//   apply    body ─ applied-value ─▶ config ─ merge ─▶ merged ─ withdraw (prune) ─▶ wanted ─ compare ─▶ conflicts, new owners
//   update   old, next ─ compare ─▶ written and removed paths ─▶ new owners
//
// Types are represented as merge shapes (merge-shape.ts), ownership as field sets (field-set.ts, fields-v1.ts,
// managed-fields.ts).
export { type ApplyRequest, applyPatch } from "./apply/apply-patch";
export { type ChangedPaths, changedPaths } from "./apply/changed-paths";
export { type FieldSet, LEAF } from "./apply/field-set";
export { laidOver } from "./apply/laid-over";
export type { ClientSideApply } from "./apply/last-applied";
export { differInTimes, managedFieldsOf } from "./apply/managed-fields";
export type { ItemOrder } from "./apply/merge";
export { trackUpdate } from "./apply/track-update";
export type { ObjectVersions } from "./apply/versioned-change";
export { parentEntries, type ViewedField, viewEntries } from "./apply/view-owners";
export {
  apiVersionsIn,
  ConfigurationError,
  faultsOf,
  namingFile,
  readConfigurationFile,
  readDocument,
  withOwnVersion,
} from "./configuration/configuration-document";
export { ConfigurationFields } from "./configuration/configuration-fields";
export * from "./deletion/deletion-rules";
export * from "./deletion/deletion-step";
export * from "./deletion/dependents-finalizers";
export * from "./deletion/object-expiry";
export * from "./errors/access-errors";
export type { FieldError } from "./errors/field-error";
export * as field from "./errors/field-error";
export * as fieldPath from "./errors/field-path";
export * from "./errors/object-errors";
export * from "./errors/received-status";
export * from "./errors/request-errors";
export * from "./errors/server-errors";
export {
  isCode,
  isReason,
  isStatusReason,
  reasonOfCode,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from "./errors/status-error";
export * from "./errors/status-object";
export * from "./errors/version-errors";
export * from "./errors/warning";
export * from "./flags";
export { HISTORY_STATES_MAX, NAMESPACE_STATES_MAX, statesOfAnnotation } from "./history/kept-states";
export { jsonText } from "./json/json-text";
export { sameJson } from "./json/same-json";
export * from "./names/group-names";
export * from "./names/name-formats";
export * from "./names/name-generator";
export {
  BOOTSTRAP_SECRET_PREFIX,
  bootstrapExpiryMs,
  bootstrapExtraGroups,
  bootstrapSecretFlaws,
  bootstrapText,
} from "./objects/bootstrap-secret";
export { annotationErrors, labelErrors } from "./objects/label-validation";
export * from "./objects/object-meta";
export { dropDuplicateOwnerReferences } from "./objects/repeated-owners";
export * from "./objects/system-metadata";
export { expressionTimings, timeExpressions } from "./observation/expression-timings";
export { jsonDifference } from "./patch/json-difference";
export { applyJsonPatch, FailedPatchTest } from "./patch/json-patch";
export { type JsonPatchOperation, readJsonPatch } from "./patch/json-patch-operation";
export { applyMergePatch } from "./patch/merge-patch";
export { undecodablePatchResult } from "./patch/patch-result";
export {
  type PatchRules,
  rulesOfItems,
  rulesOfMember,
  rulesOfStruct,
  UNKNOWN_PATCH_RULES,
} from "./patch/patch-rules";
export { applyStrategicMergePatch } from "./patch/strategic-merge";
export { type AcceptClause, mediaTypeIn, parseAccept } from "./requests/accept-header";
export * from "./requests/continue-token";
export * from "./requests/delete-options";
export { managerName } from "./requests/field-manager";
export type { FieldTree } from "./requests/field-paths";
export { survivesHeaders } from "./requests/header-value";
export * from "./requests/list-options";
export { type ListOrder, parseFields, requireQuestions } from "./requests/list-questions";
export { openEnvelope, unpack } from "./requests/protobuf-body";
export {
  queryBoolean,
  queryInteger,
} from "./requests/query-parameters";
export * from "./requests/read-semantics";
export * from "./requests/read-semantics";
export type { UserInfo } from "./requests/user-info";
export * from "./requests/watch-options";
export * from "./requests/write-options";
export { withAddedRules } from "./resources/added-rules";
export type * from "./resources/admission";
export {
  AdmittedWrite,
  type AttemptAttributes,
  passAdmission,
  type WriteSinks,
  whenAdmitted,
} from "./resources/admitted-write";
export * from "./resources/feature-gate";
export * from "./resources/lifecycle";
export * from "./resources/metadata-validation";
export {
  type Action,
  type CompletedMember,
  type Completion,
  type Connection,
  ManyValuesError,
  type ObjectConverter,
  type ObjectToConvert,
  type PrepareContext,
  type ResourceDefinition,
  type ResourceVerb,
  type Scope,
  type ServedVersion,
  type Strategy,
  type Subresource,
  type SubresourceView,
  type TableColumn,
  type TableTime,
  type WorkerConverter,
} from "./resources/resource-definition";
export type * from "./resources/unique-allocations";
export * from "./selectors/field-selector";
export type { LabelRequirement } from "./selectors/label-matcher";
export * from "./selectors/label-selector";
export { labelSelectorErrors } from "./selectors/label-selector-validation";
export * from "./selectors/selectable-field";
export { flagzPage, PAGE_TYPES, pageAnswer, type StatusPage, statuszPage } from "./status-pages/status-page";
export { columnDefinitions, DEFAULT_COLUMNS } from "./table/columns";
export { type IncludeObject, parseIncludeObject } from "./table/include-object";
export { isReusable, type RowTemplate, rowMembers, rowTemplate } from "./table/row-template";
export { editsBetween } from "./values/edits-between";
export * from "./values/go-duration";
export * from "./values/human-duration";
export {
  type AddressFamily,
  addressNumber,
  addressText,
  canonicalAddress,
  familyOf,
  isMappedAddress,
  plainAddress,
} from "./values/ip-address";
export { RegularExpression } from "./values/regular-expression";
export { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "./values/semantic-version";
export * from "./values/timestamp";
export * from "./values/timestamp";
