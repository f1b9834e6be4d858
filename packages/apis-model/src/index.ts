// Parts of the definition of a built-in kind: its model, rules, formats and columns.

export { DeclaredChecks } from "./declared/declared-check";
export { DECLARED_FORMATS, resourceQualifiedName } from "./declared/declared-formats";
export { type Cidr, parseCidr, reachableAddress } from "./formats/address-rules";
export { warnOfAddress, warnOfRange } from "./formats/address-warnings";
export { conditions } from "./formats/condition-rules";
export { cronSchedule, isTimeZone } from "./formats/cron-schedule";
export {
  absoluteSubdomain,
  configKey,
  domainPrefixedPath,
  envVarName,
  format,
  fullyQualifiedDomainName,
  fullyQualifiedName,
  ip,
  label1035,
  label1123,
  labelSelector,
  labels,
  labelValue,
  maxCharacters,
  NOT_NEGATIVE,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  oneOf,
  operatingSystemId,
  pathSegment,
  percentOf,
  portName,
  portNumber,
  portNumberOrName,
  positive,
  qualifiedName,
  rangeOf,
  subdomain,
  wildcardSubdomain,
} from "./formats/format-rules";
export { warnOfLabel, warnOfLabels, warnOfPlainLabel, warnOfTerm } from "./formats/node-label-warnings";
export { absolutePath, descendingPath, pathWithoutBacksteps, unreservedPath } from "./formats/path-rules";
export {
  isNegative,
  isPositive,
  nonNegativeQuantity,
  positiveQuantity,
  quantityOf,
  roundResources,
  warnOfFraction,
} from "./formats/quantity-rules";
export {
  allowsOvercommit,
  containerResourceName,
  HUGE_PAGES,
  isExtendedResource,
  isHugePages,
  isNative,
  isQuotaResource,
  quotaResourceName,
  type ResourceList,
  resourceName,
  resourceQuantity,
} from "./formats/resource-names";
export { strictAddressErrors, strictCheck, strictRangeErrors } from "./formats/strict-formats";
export { reviewVersions, speaksReviews, webhookClient } from "./formats/webhook-client";
export {
  type ActionBody,
  type ActionRules,
  type BuiltInResource,
  type BuiltInRules,
  type BuiltInVersion,
  type ConnectionRules,
  type Conversion,
  type RuleContext,
  type RuleSettings,
  SCALE,
  type ScaleRules,
  type SubresourceRules,
  type ValidationContext,
  type WarningContext,
} from "./model/built-in-resource";
export {
  ageColumn,
  ageOf,
  booleanColumn,
  type CellObject,
  column,
  identifying,
  integerColumn,
  nameColumn,
  nameOf,
  wide,
} from "./model/columns/column";
export {
  labelsText,
  loadBalancerAddresses,
  queryText,
  selectorText,
  shortenedList,
  shortenedText,
} from "./model/columns/column-texts";
export type { DefaultRule, DefaultRules, GatedDefaults } from "./model/default-rules";
export { ALL_FEATURES, type Features, featuresOf } from "./model/features/features";
export { FIELD_GATES, type FieldGate } from "./model/features/field-gates";
export { type Dropper, dropperOf, type GatedFields, podFields, podStatusFields } from "./model/features/gated-fields";
export { compareGroups, groupPriority, orderVersions, storageVersionHash } from "./model/group-priority";
export {
  DEFAULT_RELEASES,
  isEnabledByDefault,
  nextRelease,
  parseRelease,
  previousRelease,
  RELEASE_RANGE,
  servedEarly,
} from "./model/release";
export { eachAtList, exactly, isExact, onlyExactly, present, requiredText, textOf } from "./model/rules/exact-rule";
export { Place } from "./model/rules/place";
export { Report } from "./model/rules/report";
export {
  absentAs,
  all,
  each,
  eachEntry,
  exactlyOne,
  fields,
  forbidden,
  ifSet,
  isAbsent,
  type Rule,
  required,
  unique,
  validator,
} from "./model/rules/rule";
export {
  changes,
  immutable,
  immutableOnceSet,
  type UpdateRule,
  unchanged,
  unlessBrokenBefore,
  updateValidator,
} from "./model/rules/update-rule";
export { count, flag, nothing, text } from "./model/selectable-fields";
export type { StrictFormat } from "./model/strict-format";
export { WarningList } from "./model/warning-list";
export { copyField, fieldAt, fieldNames, objectAt, objectsAt, takeField } from "./values/field-path";
export { copyOf, copyOfValue, type FrozenObject, type FrozenValue } from "./values/frozen-value";
export { putAnnotation, takeAnnotation } from "./values/metadata-annotations";
export { sameValue } from "./values/same-value";
