export type { BuiltInResource, BuiltInVersion, LaterSubresource } from "./built-in-resource";
export { parseSigningRequest, type SigningRequest } from "./certificates/signing-request";
export { AddressRange } from "./core/address-range";
export { type ServiceClaim, type ServiceRanges, serviceClaimOf } from "./core/service-allocation";
export { type BuiltInOptions, builtInResources, definitionOf, virtualResources } from "./definitions";
export { EVERY_RESOURCE } from "./every-resource";
export { FIELD_GATES, type FieldGate } from "./features/field-gates";
export { compareGroups, groupPriority, orderVersions } from "./group-priority";
export {
  DEFAULT_RELEASE,
  isEnabledByDefault,
  nextRelease,
  parseRelease,
  previousRelease,
  RELEASE_RANGE,
} from "./release";
export { systemPriorityClasses } from "./scheduling/system-priority-classes";
export { storageVersionHash } from "./storage-version-hash";
export { DEFAULT_NAMESPACE, systemNamespaces } from "./system-namespaces";
export { podLogOptionsErrors } from "./validation/core/pod-log-options";
