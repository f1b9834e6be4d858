// Feature gates without an effect in this server. Command lines may name them for all components of a cluster. Source:
// Kubernetes documentation, "Feature Gates" and "Feature Gates (removed)".

/** Gates of Kubernetes 1.15 to 1.26 that are in no later release. */
const NAMES = `
  AttachVolumeLimit BalanceAttachedNodeVolumes BlockVolume BoundServiceAccountTokenVolume ConfigurableFSGroupPolicy
  ControllerManagerLeaderMigration CRIContainerLogRotation CronJobControllerV2 CSIBlockVolume CSIDriverRegistry CSIMigrationAWS
  CSIMigrationAWSComplete CSIMigrationAzureDisk CSIMigrationAzureDiskComplete CSIMigrationAzureFileComplete
  CSIMigrationGCEComplete CSIMigrationOpenStack CSIMigrationOpenStackComplete CSIMigrationvSphereComplete CSINodeInfo
  DaemonSetUpdateSurge DefaultPodTopologySpread DynamicKubeletConfig EndpointSlice EndpointSliceProxying EvenPodsSpread
  ExpandCSIVolumes ExpandInUsePersistentVolumes ExpandPersistentVolumes ExternalPolicyForExternalIP HugePageStorageMediumSize
  HyperVContainer IdentifyPodOS ImmutableEphemeralVolumes IngressClassNamespacedParams LegacyNodeRoleBehavior
  LocalStorageCapacityIsolation MyFeature NetworkPolicyEndPort NodeDisruptionExclusion NodeLease PodAffinityNamespaceSelector
  PodDisruptionBudget PreferNominatedNode RootCAConfigMap RotateKubeletClientCertificate RunAsGroup RuntimeClass SCTPSupport
  SelectorIndex ServiceAccountIssuerDiscovery ServiceAppProtocol ServiceNodeExclusion SetHostnameAsFQDN StartupProbe
  StorageObjectInUseProtection StreamingProxyRedirects SupportNodePidsLimit SupportPodPidsLimit Sysctls TokenRequest
  TokenRequestProjection ValidateProxyRedirects VolumePVCDataSource VolumeSnapshotDataSource VolumeSubpath
  WindowsEndpointSliceProxying WindowsGMSA WindowsRunAsUserName
`;

export const FORMER_GATES: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));
