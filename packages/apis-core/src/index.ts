// The built-in kinds of the core group.

export { componentStatuses } from "./cluster/component-statuses";
export { DEFAULT_NAMESPACE, namespaces, systemNamespaces } from "./cluster/namespaces";
export { serviceAccounts } from "./cluster/service-accounts";
export { configMaps } from "./configuration/config-maps";
export { secrets } from "./configuration/secrets";
export { CONTAINER_DEFAULTS } from "./containers/container-defaults";
export { containerResources } from "./containers/resource-requirements-validation";
export { events } from "./events/events";
export { nodes } from "./nodes/nodes";
export { bindings } from "./pods/bindings";
export { isAppArmorProfile, isSeccompProfile, podAnnotations } from "./pods/pod-annotations-validation";
export { podLogOptionsErrors } from "./pods/pod-log-options";
export { POD_SPEC_DEFAULTS } from "./pods/pod-spec-defaults";
export { podStrictFormats } from "./pods/pod-strict-formats";
export { containersColumn, imagesColumn, templateOfSpec } from "./pods/pod-template-columns";
export { podTemplateSpec } from "./pods/pod-template-validation";
export { podTemplates } from "./pods/pod-templates";
export { pods } from "./pods/pods";
export { qualityOfService } from "./pods/quality-of-service";
export { toleration } from "./pods/tolerations-validation";
export { templateWarnings } from "./pods/warnings/pod-warnings";
export {
  ClassResources,
  claimNamedBy,
  extendedClaimOwner,
  extendedResourceName,
  includesClaim,
} from "./quota/class-resources";
export type { QuotaEvaluator } from "./quota/evaluator";
export { QuotaEvaluators } from "./quota/evaluators";
export { limitRanges } from "./quota/limit-ranges";
export { podDemands } from "./quota/pod-demands";
export { countedUsage, isCounted, termsOf, wantedOf } from "./quota/quota-terms";
export { resourceQuotas } from "./quota/resource-quotas";
export { requirementOf, type ScopeRequirement, scopesText } from "./quota/scopes";
export { amountsOf, increase, only, sum, type Usage, usageOf, ZERO } from "./quota/usage";
export { replicaColumns } from "./replication/replica-columns";
export { replicaCounts } from "./replication/replica-counts-validation";
export { disksToShare, endlessPods } from "./replication/replicated-template-validation";
export { replicationControllers } from "./replication/replication-controllers";
export { areLabelsOfPods, fillRolling, labelLikePods, likePods, rollBy } from "./replication/workload-defaults";
export { AddressRange } from "./services/address-range";
export { endpoints } from "./services/endpoints";
export {
  ipAddressAllocations,
  ipAddressOf,
  isAllocatorAddress,
  parentService,
} from "./services/ip-address-allocation";
export { NETWORK_DEFAULTS } from "./services/network-defaults";
export { serviceAllocations } from "./services/service-allocation";
export { shownBy } from "./services/service-completion";
export { type ServiceAllocation, serviceAllocationOf } from "./services/service-keys";
export type { ServiceRanges } from "./services/service-ranges";
export { services } from "./services/services";
export { claimSpec, templateSources } from "./volumes/claim-spec-validation";
export { csiDriverName } from "./volumes/network-sources-validation";
export { nodeSelector } from "./volumes/node-selector-validation";
export { persistentVolumeClaims } from "./volumes/persistent-volume-claims";
export { inlineVolumeSpec } from "./volumes/persistent-volume-validation";
export { persistentVolumes } from "./volumes/persistent-volumes";
export { VOLUME_CLAIM_DEFAULTS, VOLUME_DEFAULTS } from "./volumes/volume-defaults";
