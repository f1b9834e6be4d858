// Feature gates of Kubernetes 1.27 to 1.37, with and without code in this server: stage, default and lock by release.
// Changes in 1.37 are those that are published so far.
// Sources, of each of these releases: pkg/features/kube_features.go, and the features of apiserver,
// apiextensions-apiserver, client-go, component-base and controller-manager under staging/src/k8s.io/.
import { type GateHistory, parseGateHistory } from "./gate-history";

/**
 * A line per gate: its name, and the releases that changed it. A, B, G or D: alpha, beta, generally available,
 * deprecated; + or -: on or off by default; `!`: cannot be changed. x: the first release without the gate.
 */
const LINES = `
  APIListChunking A-1.8 B+1.9 G+1.29! x1.33
  APIPriorityAndFairness A-1.18 B+1.20 G+1.29! x1.31
  APIResponseCompression A-1.8 B+1.16
  APISelfSubjectReview A-1.26 B+1.27 G+1.28! x1.30
  APIServerIdentity A-1.20 B+1.26
  APIServerTracing A-1.22 B+1.27 G+1.34!
  APIServerWebhookAuthenticationToken A-1.37
  APIServingWithRoutine A-1.30
  AdmissionWebhookMatchConditions A-1.27 B+1.28 G+1.30! x1.33
  AdvancedAuditing A-1.7 B+1.8 G+1.12 G+1.27! x1.28
  AggregatedDiscoveryEndpoint A-1.26 B+1.27 G+1.30! x1.33
  AggregatedDiscoveryRemoveBetaType G-1.0 D+1.33 D+1.35!
  AllowDNSOnlyNodeCSR G+1.0 D-1.31
  AllowInsecureKubeletCertificateSigningRequests G+1.0 D-1.31
  AllowOverwriteTerminationGracePeriodSeconds G+1.0 D-1.32 D-1.35!
  AllowParsingUserUIDFromCertAuth B+1.33
  AllowServiceExternalIPs G+1.0
  AllowServiceLBStatusOnNonLB G+1.0 D-1.29 D-1.32! x1.35
  AllowUnsafeMalformedObjectDeletion A-1.32 B+1.37
  AnonymousAuthConfigurableEndpoints A-1.31 B+1.32 G+1.34!
  AnyVolumeDataSource A-1.18 B+1.24 G+1.33!
  AppArmor B+1.4 G+1.31! x1.33
  AppArmorFields B+1.30 G+1.31! x1.33
  AtomicFIFO B+1.36
  AtomicWriteVolumeUserFields A-1.37
  AuthorizeNodeWithSelectors A-1.31 B+1.32 G+1.34!
  AuthorizePodWebsocketUpgradeCreatePermission B+1.35
  AuthorizeWithSelectors A-1.31 B+1.32 G+1.34!
  BtreeWatchCache B+1.32 G+1.33!
  CBORServingAndStorage A-1.32
  CPUManager A-1.8 B+1.10 G+1.26! x1.33
  CPUManagerPolicyAlphaOptions A-1.23
  CPUManagerPolicyBetaOptions B+1.23
  CPUManagerPolicyOptions A-1.22 B+1.23 G+1.33!
  CRDObservedGenerationTracking B-1.35 B+1.36
  CRDValidationRatcheting A-1.28 B+1.30 G+1.33!
  CRIListStreaming A-1.36
  CSIMigrationAzureFile A-1.15 B-1.21 B+1.24 G+1.26 G+1.27! x1.30
  CSIMigrationGCE A-1.14 B-1.17 B+1.23 G+1.25! x1.28
  CSIMigrationPortworx A-1.23 B-1.25 B+1.31 G+1.33! x1.36
  CSIMigrationRBD A-1.23 D-1.28 x1.31
  CSIMigrationvSphere B-1.19 B+1.25 G+1.26! x1.29
  CSINodeExpandSecret A-1.25 B+1.27 G+1.29! x1.31
  CSIServiceAccountTokenSecrets B+1.35 G+1.36!
  CSIStorageCapacity A-1.19 B+1.21 G+1.24! x1.28
  CSIVolumeHealth A-1.21
  ChangeContainerStatusOnKubeletRestart G+1.0 D-1.35
  ClearingNominatedNodeNameAfterBinding A-1.34 B+1.35
  ClientsAllowCARotation B+1.36
  ClientsAllowCBOR A-1.32
  ClientsAllowTLSCacheGC B+1.36
  ClientsPreferCBOR A-1.32
  CloudControllerManagerWatchBasedRoutesReconciliation A-1.35
  CloudControllerManagerWebhook A-1.27
  CloudDualStackNodeIPs A-1.27 B+1.29 G+1.30! x1.32
  ClusterTrustBundle A-1.27 B-1.33 G+1.37
  ClusterTrustBundleProjection A-1.29 B-1.33 G+1.37
  ComponentFlagz A-1.32 B+1.36
  ComponentSLIs A-1.26 B+1.27 G+1.32! x1.35
  ComponentStatusz A-1.32 B+1.36
  CompositePodGroup A-1.37
  ConcurrentWatchObjectDecode B-1.31 B+1.37
  ConsistentHTTPGetHandlers G+1.26 G+1.30! x1.31
  ConsistentListFromCache A-1.28 B+1.31 G+1.34!
  ConsistentListFromCacheSkipTimeoutFallback A-1.37
  ConstrainedImpersonation A-1.35 B+1.36
  ContainerCheckpoint A-1.25 B+1.30
  ContainerRestartRules A-1.34 B+1.35
  ContainerStopSignals A-1.33
  ContextualLogging A-1.24 B+1.30
  ControllerManagerReleaseLeaderElectionLockOnExit A-1.36
  CoordinatedLeaderElection A-1.31 B-1.33
  CronJobTimeZone A-1.24 B+1.25 G+1.27! x1.29
  CronJobsScheduledAnnotation B+1.28 G+1.32! x1.35
  CrossNamespaceVolumeDataSource A-1.26
  CustomCPUCFSQuotaPeriod A-1.12 G+1.36
  CustomResourceFieldSelectors A-1.30 B+1.31 G+1.32!
  CustomResourceValidationExpressions A-1.23 B+1.25 G+1.29! x1.31
  DRAAdminAccess A-1.32 B+1.34 G+1.36!
  DRAConsumableCapacity A-1.34 B+1.36
  DRAControlPlaneController A-1.31 x1.32
  DRADerivedAttributes A-1.37
  DRADeviceBindingConditions A-1.34 B+1.36
  DRADeviceCompatibilityGroups A-1.37
  DRADeviceTaintRules A-1.35 B-1.36 G+1.37
  DRADeviceTaints A-1.33 B+1.36 G+1.37
  DRAExtendedResource A-1.34 B+1.36 G+1.37!
  DRAFractionalCapacityRange B+1.37
  DRAListTypeAttributes A-1.36
  DRANodeAllocatableResources A-1.36
  DRAOptionalNodeOperations A-1.37
  DRAPartitionableDevices A-1.33 B+1.36
  DRAPartitionableDevicesType A-1.37
  DRAPrioritizedList A-1.33 B+1.34 G+1.36 G+1.37!
  DRAResourceClaimDeviceStatus A-1.32 B+1.33 G+1.37!
  DRAResourceClaimGranularStatusAuthorization B+1.36
  DRAResourcePoolStatus A-1.36
  DRASchedulerFilterTimeout B+1.34
  DRAWorkloadResourceClaims A-1.36 B-1.37
  DeclarativeValidation B+1.33 G+1.36!
  DeclarativeValidationBeta B+1.36
  DeclarativeValidationTakeover B-1.33 D-1.36 D-1.37!
  DefaultHostNetworkHostPortsInPodTemplates D-1.28 x1.31
  DefaultPodSysctls A-1.37
  DelegateFSGroupToCSIDriver A-1.22 B+1.23 G+1.26! x1.28
  DeploymentReplicaSetTerminatingReplicas A-1.33 B+1.35
  DetectCacheInconsistency B+1.34
  DevicePluginCDIDevices A-1.28 B+1.29 G+1.31! x1.34
  DevicePlugins A-1.8 B+1.10 G+1.26! x1.28
  DisableAcceleratorUsageMetrics A-1.19 B+1.20 G+1.25! x1.28
  DisableAllocatorDualWrite A-1.31 B-1.33 G+1.34 G+1.35!
  DisableCPUQuotaWithExclusiveCPUs B+1.33 D+1.36
  DisableCloudProviders A-1.22 B+1.29 G+1.31! x1.33
  DisableKubeletCloudCredentialProviders A-1.23 B+1.29 G+1.31! x1.33
  DisableNodeKubeProxyVersion A-1.29 D-1.31 D+1.33 D+1.36!
  DownwardAPIHugePages A-1.20 B-1.21 B+1.23 G+1.27! x1.29
  DryRun A-1.12 B+1.13 G+1.19 G+1.26! x1.28
  DynamicResourceAllocation A-1.26 B-1.32 G+1.34 G+1.35!
  EfficientWatchResumption A-1.20 B+1.21 G+1.24! x1.33
  ElasticIndexedJob B+1.27 G+1.31! x1.34
  EmptyDirVolumeMode A-1.37
  EndpointSliceTerminatingCondition A-1.20 B+1.22 G+1.26! x1.28
  EnvFiles A-1.34 B+1.35
  EtcdRangeStream B+1.37
  EventedPLEG A-1.26
  EvictionRequestAPI A-1.37
  ExcludeAdmissionWebhookVirtualResources B+1.37
  ExecProbeTimeout G+1.20 G+1.35!
  ExpandedDNSConfig A-1.22 B+1.26 G+1.28! x1.30
  ExperimentalHostUserNamespaceDefaulting B-1.5 D-1.28! x1.30
  ExtendWebSocketsToKubelet B+1.36
  ExternalServiceAccountTokenSigner A-1.32 B+1.34 G+1.36!
  GRPCContainerProbe A-1.23 B+1.24 G+1.27! x1.29
  GRPCContainerProbeTLS A-1.37
  GangScheduling A-1.35
  GenericWorkload A-1.35 B-1.37
  GitRepoVolumeDriver G+1.0 D-1.33 D-1.36!
  GracefulNodeShutdown A-1.20 B+1.21
  GracefulNodeShutdownBasedOnPodPriority A-1.23 B+1.24
  H2CContainerProbe A-1.37
  HPAConfigurableTolerance A-1.33 B+1.35 G+1.37!
  HPAContainerMetrics A-1.20 B+1.27 G+1.30! x1.32
  HPAScaleToZero A-1.16
  HonorPVReclaimPolicy A-1.23 B+1.31 G+1.33! x1.36
  HostnameOverride A-1.34 B+1.35
  HugepageAwareEviction B+1.37
  IPTablesOwnershipCleanup A-1.25 B+1.27 G+1.28! x1.30
  ImageMaximumGCAge A-1.29 B+1.30 G+1.35!
  ImageVolume A-1.31 B-1.33 B+1.35 G+1.36!
  ImageVolumeWithDigest A-1.35
  InOrderInformers B+1.33 G+1.36!
  InOrderInformersBatchProcess B+1.35
  InPlacePodLevelResourcesVerticalScaling A-1.35 B+1.36
  InPlacePodVerticalScaling A-1.27 B+1.33 G+1.35!
  InPlacePodVerticalScalingAllocatedStatus A-1.32 D-1.33 x1.36
  InPlacePodVerticalScalingExclusiveCPUs A-1.32
  InPlacePodVerticalScalingExclusiveMemory A-1.34
  InPlacePodVerticalScalingInitContainers B+1.36
  InPlacePodVerticalScalingSchedulerPreemption A-1.37
  InTreePluginAWSUnregister A-1.21 x1.31
  InTreePluginAzureDiskUnregister A-1.21 x1.31
  InTreePluginAzureFileUnregister A-1.21 x1.31
  InTreePluginGCEUnregister A-1.21 x1.31
  InTreePluginOpenStackUnregister A-1.21 x1.31
  InTreePluginPortworxUnregister A-1.23 x1.36
  InTreePluginRBDUnregister A-1.23 D-1.28 x1.31
  InTreePluginvSphereUnregister A-1.21 x1.31
  InformerResourceVersion A-1.30 G+1.35
  InterPodAffinityHostnameFastPath A-1.37
  JobBackoffLimitPerIndex A-1.28 B+1.29 G+1.33!
  JobManagedBy A-1.30 B+1.32 G+1.35!
  JobMutableNodeSchedulingDirectives B+1.23 G+1.27! x1.29
  JobPodFailurePolicy A-1.25 B+1.26 G+1.31! x1.33
  JobPodReplacementPolicy A-1.28 B+1.29 G+1.34!
  JobReadyPods A-1.23 B+1.24 G+1.29! x1.31
  JobSuccessPolicy A-1.30 B+1.31 G+1.33!
  JobTrackingWithFinalizers A-1.22 B+1.23 B-1.24 B+1.25 G+1.26! x1.29
  KMSv1 G+1.0 D+1.28 D-1.29
  KMSv2 A-1.25 B+1.27 G+1.29! x1.32
  KMSv2KDF B-1.28 G+1.29! x1.32
  KubeProxyDrainingTerminatingNodes A-1.28 B+1.30 G+1.31! x1.33
  KubeProxyIPVS D+1.37
  KubeProxyNFTablesLocalhostNodePorts A-1.37
  KubeletCgroupDriverFromCRI A-1.28 B+1.31 G+1.34!
  KubeletCrashLoopBackOffMax A-1.32 B+1.35
  KubeletCredentialProviders A-1.20 B+1.24 G+1.26! x1.28
  KubeletEnsureSecretPulledImages A-1.33 B+1.35
  KubeletFineGrainedAuthz A-1.32 B+1.33 G+1.36!
  KubeletInUserNamespace A-1.22
  KubeletPSI A-1.33 B+1.34 G+1.36!
  KubeletPodResources A-1.13 B+1.15 G+1.28! x1.30
  KubeletPodResourcesDynamicResources A-1.27 B+1.34 G+1.36!
  KubeletPodResourcesGet A-1.27 B+1.34 G+1.36!
  KubeletPodResourcesGetAllocatable A-1.21 B+1.23 G+1.28! x1.30
  KubeletPodResourcesListUseActivePods G-1.0 D+1.34
  KubeletRegistrationGetOnExistsOnly G+1.0 D-1.32
  KubeletSeparateDiskGC A-1.29 B+1.31
  KubeletServiceAccountTokenForCredentialProviders A-1.33 B+1.34
  KubeletTracing A-1.25 B+1.27 G+1.34!
  LegacyServiceAccountTokenCleanUp A-1.28 B+1.29 G+1.30! x1.32
  LegacyServiceAccountTokenNoAutoGeneration B+1.24 G+1.26 G+1.27! x1.29
  LegacyServiceAccountTokenTracking A-1.26 B+1.27 G+1.28! x1.30
  LegacySidecarContainers G+1.0 D-1.33 x1.34
  ListFromCacheSnapshot A-1.33 B+1.34
  LoadBalancerIPMode A-1.29 B+1.30 G+1.32! x1.35
  LocalStorageCapacityIsolationFSQuotaMonitoring A-1.15 B-1.31
  LogarithmicScaleDown A-1.21 B+1.22 G+1.31!
  LoggingAlphaOptions A-1.24
  LoggingBetaOptions B+1.24
  ManifestBasedAdmissionControlConfig A-1.36 B+1.37
  MatchLabelKeysInPodAffinity A-1.29 B+1.31 G+1.33!
  MatchLabelKeysInPodTopologySpread A-1.25 B+1.27
  MatchLabelKeysInPodTopologySpreadSelectorMerge B+1.34
  MaxUnavailableStatefulSet A-1.24 B-1.35
  MemoryManager A-1.21 B+1.22 G+1.32! x1.36
  MemoryQoS A-1.22 B+1.37
  MinDomainsInPodTopologySpread A-1.24 B-1.25 B+1.27 G+1.30! x1.32
  MinimizeIPTablesRestore A-1.26 B+1.27 G+1.28! x1.30
  MixedProtocolLBService A-1.20 B+1.24 G+1.26! x1.28
  MultiCIDRRangeAllocator A-1.25 x1.29
  MultiCIDRServiceAllocator A-1.27 B-1.31 G+1.33 G+1.34!
  MutableCSINodeAllocatableCount A-1.33 B-1.34 B+1.35 G+1.36!
  MutablePVNodeAffinity A-1.35
  MutablePodResourcesForSuspendedJobs A-1.35 B+1.36
  MutableSchedulingDirectivesForSuspendedJobs A-1.35 B+1.36
  MutatingAdmissionPolicy A-1.32 B-1.34 G+1.36
  NFTablesProxyMode A-1.29 B+1.31 G+1.33!
  NativeHistograms A-1.36 B+1.37
  NetworkPolicyStatus A-1.24 x1.28
  NewVolumeManagerReconstruction B-1.27 B+1.28 G+1.30! x1.32
  NodeDeclaredFeatures A-1.35 B+1.36 G+1.37!
  NodeInclusionPolicyInPodTopologySpread A-1.25 B+1.26 G+1.33!
  NodeLifecycleConditions A-1.37
  NodeLogQuery A+1.27 B+1.30 G+1.36!
  NodeOutOfServiceVolumeDetach A-1.24 B+1.26 G+1.28! x1.32
  NodeSwap A-1.22 B-1.28 B+1.30 G+1.34!
  NominatedNodeNameForExpectation A-1.34 B+1.35
  OpenAPIEnums A-1.23 B+1.24
  OpenAPIV3 A-1.23 B+1.24 G+1.27! x1.29
  OpportunisticBatching B+1.35
  OrderedNamespaceDeletion B-1.30 B+1.33 G+1.34!
  PDBUnhealthyPodEvictionPolicy A-1.26 B+1.27 G+1.31! x1.33
  PLEGOnDemandRelist B+1.36
  PersistentVolumeClaimUnusedSinceTime A-1.36
  PersistentVolumeLastPhaseTransitionTime A-1.28 B+1.29 G+1.31! x1.33
  PodAndContainerStatsFromCRI A-1.23
  PodCertificateRequest A-1.34 B-1.35 G+1.37
  PodDeletionCost A-1.21 B+1.22
  PodDisruptionConditions A-1.25 B+1.26 G+1.31! x1.34
  PodGroupPreemptionPolicy A-1.37
  PodHasNetworkCondition A-1.25 x1.28
  PodHostIPs A-1.28 B+1.29 G+1.30! x1.32
  PodIndexLabel B+1.28 G+1.32! x1.35
  PodLevelResourceManagers A-1.36
  PodLevelResources A-1.32 B+1.34
  PodLifecycleSleepAction A-1.29 B+1.30 G+1.34!
  PodLifecycleSleepActionAllowZero A-1.32 B+1.33 G+1.34!
  PodLogsQuerySplitStreams A-1.32
  PodObservedGenerationTracking A-1.33 B+1.34 G+1.35!
  PodReadyToStartContainersCondition A-1.28 B+1.29
  PodSchedulingReadiness A-1.26 B+1.27 G+1.30!
  PodSecurity A-1.22 B+1.23 G+1.25! x1.28
  PodTopologyLabelsAdmission A-1.33 B+1.35
  PodsAPI A-1.36
  PortForwardWebsockets A-1.30 B+1.31
  PreferSameTrafficDistribution A-1.33 B+1.34 G+1.35!
  PreventStaticPodAPIReferences B+1.34
  ProbeHostPodSecurityStandards G+1.34! x1.35
  ProbeTerminationGracePeriod A-1.21 B-1.22 B+1.25 G+1.28! x1.29
  ProcMountType A-1.12 B-1.31 B+1.33 G+1.36!
  ProxyTerminatingEndpoints A-1.22 B+1.26 G+1.28! x1.30
  QOSReserved A-1.11
  ReadWriteOncePod A-1.22 B+1.27 G+1.29! x1.31
  RecoverVolumeExpansionFailure A-1.23 B+1.32 G+1.34!
  RecursiveReadOnlyMounts A-1.30 B+1.31 G+1.33!
  ReduceDefaultCrashLoopBackOffDecay A-1.33
  RelaxedDNSSearchValidation A-1.32 B+1.33 G+1.34!
  RelaxedEnvironmentVariableValidation A-1.30 B+1.32 G+1.34!
  RelaxedServiceNameValidation A-1.34 B+1.36
  ReloadKubeletClientCAFile B+1.36
  ReloadKubeletServerCertificateFile B+1.31
  RemainingItemCount A-1.15 B+1.16 G+1.29! x1.33
  RemoteRequestHeaderUID A-1.32 B+1.33
  RemoveSelfLink A-1.16 B+1.20 G+1.24! x1.30
  ResilientWatchCacheInitialization B+1.31 G+1.34!
  ResourceHealthStatus A-1.31 B+1.36
  ResourceHealthStatusMessage B+1.36
  RestartAllContainersOnContainerExits A-1.35 B+1.36
  RetroactiveDefaultStorageClass A-1.25 B+1.26 G+1.28 x1.29
  RetryGenerateName A-1.30 B+1.31 G+1.32!
  RotateKubeletServerCertificate A-1.7 B+1.12
  RuntimeClassInImageCriApi A-1.29
  SELinuxChangePolicy A-1.32 B+1.33 G+1.36!
  SELinuxMount A-1.30 B-1.33 G+1.37
  SELinuxMountReadWriteOncePod A-1.25 B-1.27 B+1.28 G+1.36!
  SchedulerAsyncAPICalls B-1.34
  SchedulerAsyncPreemption A-1.32 B+1.33
  SchedulerPopFromBackoffQ B+1.33
  SchedulerPreQueueingHints A-1.37
  SchedulerQueueingHints B-1.28 B+1.32 G+1.34!
  SeccompDefault A-1.22 B+1.25 G+1.27! x1.29
  SecurityContextDeny A-1.27 x1.30
  SeparateCacheWatchRPC B+1.28 D-1.33 D-1.36!
  SeparateTaintEvictionController B+1.29 G+1.34!
  ServerSideApply A-1.14 B+1.16 G+1.22 G+1.26! x1.32
  ServerSideFieldValidation A-1.23 B+1.25 G+1.27! x1.32
  ServiceAccountNodeAudienceRestriction B-1.32 B+1.33
  ServiceAccountTokenJTI A-1.29 B+1.30 G+1.32!
  ServiceAccountTokenNodeBinding A-1.29 B+1.31 G+1.33!
  ServiceAccountTokenNodeBindingValidation A-1.29 B+1.30 G+1.32!
  ServiceAccountTokenPodNodeInfo A-1.29 B+1.30 G+1.32!
  ServiceCIDRStatusFieldWiping G-1.0 D+1.36
  ServiceIPStaticSubrange A-1.24 B+1.25 G+1.26! x1.28
  ServiceInternalTrafficPolicy A-1.21 B+1.22 G+1.26! x1.28
  ServiceNodePortStaticSubrange A-1.27 B+1.28 G+1.29! x1.31
  ServiceTrafficDistribution A-1.30 B+1.31 G+1.33! x1.36
  ShardedListAndWatch A-1.36
  SidecarContainers A-1.28 B+1.29 G+1.33!
  SizeBasedListCostEstimate B+1.34
  SizeMemoryBackedVolumes A-1.20 B+1.22 G+1.32! x1.35
  SkipReadOnlyValidationGCE A-1.28 D+1.29 x1.31
  StableLoadBalancerNodeSet B+1.27 G+1.30! x1.32
  StaleControllerConsistencyDaemonSet B+1.36
  StaleControllerConsistencyJob B+1.36
  StaleControllerConsistencyReplicaSet B+1.36
  StaleControllerConsistencyStatefulSet B+1.36
  StatefulSetAutoDeletePVC A-1.23 B+1.27 G+1.32! x1.35
  StatefulSetSemanticRevisionComparison B+1.0
  StatefulSetStartOrdinal A-1.26 B+1.27 G+1.31! x1.34
  StorageCapacityScoring A-1.33 B+1.37
  StorageNamespaceIndex B+1.30 D+1.33
  StorageVersionAPI A-1.20
  StorageVersionHash A-1.14 B+1.15
  StorageVersionMigrator A-1.30 B-1.35 G+1.37
  StreamingCollectionEncodingToJSON B+1.33 G+1.34!
  StreamingCollectionEncodingToProtobuf B+1.33 G+1.34!
  StrictCostEnforcementForVAP B-1.30 G+1.32! x1.35
  StrictCostEnforcementForWebhooks B-1.30 G+1.32! x1.35
  StrictIPCIDRValidation A-1.33 B+1.36
  StructuredAuthenticationConfiguration A-1.29 B+1.30 G+1.34!
  StructuredAuthenticationConfigurationEgressSelector B+1.34
  StructuredAuthenticationConfigurationJWKSMetrics B+1.35
  StructuredAuthorizationConfiguration A-1.29 B+1.30 G+1.32! x1.36
  SupplementalGroupsPolicy A-1.31 B+1.33 G+1.35!
  SystemdWatchdog B+1.32 G+1.35!
  TaintTolerationComparisonOperators A-1.35
  TokenRequestServiceAccountUIDValidation B+1.34
  TopologyAwareHints A-1.21 B-1.23 B+1.24 G+1.33! x1.36
  TopologyAwareWorkloadScheduling A-1.36
  TopologyManager A-1.16 B+1.18 G+1.27! x1.29
  TopologyManagerPolicyAlphaOptions A-1.26
  TopologyManagerPolicyBetaOptions B-1.26 B+1.28
  TopologyManagerPolicyOptions A-1.26 B+1.28 G+1.32!
  TranslateStreamCloseWebsocketRequests A-1.29 B+1.30
  UnauthenticatedHTTP2DOSMitigation B-1.25 B+1.29
  UnknownVersionInteroperabilityProxy A-1.28 B+1.36
  UnlockWhileProcessingFIFO B+1.36
  UserNamespacesHostNetworkSupport A-1.35
  UserNamespacesPodSecurityStandards A-1.29 x1.35
  UserNamespacesStatelessPodsSupport A-1.25 x1.28
  UserNamespacesSupport A-1.25 B-1.30 B+1.33 G+1.36!
  ValidatingAdmissionPolicy A-1.26 B-1.28 G+1.30! x1.32
  VolumeAttributesClass A-1.29 B-1.31 G+1.34 G+1.36!
  VolumeBindMountOptions A-1.37
  VolumeCapacityPriority A-1.21 x1.33
  VolumeLimitScaling A-1.35 B+1.37
  WatchBookmark A-1.15 B+1.16 G+1.17! x1.33
  WatchCacheInitializationPostStartHook B-1.31 B+1.36 G+1.37!
  WatchFromStorageWithoutResourceVersion B-1.27 D-1.33! x1.36
  WatchList A-1.27 B+1.32 B-1.33 B+1.34
  WatchListClient B-1.30 B+1.35
  WatchListCompression B+1.37
  WebhookRoundTripLoadBalancing B+1.37
  WinDSR A-1.14 B+1.33 G+1.34!
  WinOverlay A-1.14 B+1.20 G+1.34!
  WindowsCPUAndMemoryAffinity A-1.32
  WindowsGracefulNodeShutdown A-1.32 B+1.34
  WindowsHostNetwork A-1.26 D-1.33
  WindowsHostProcessContainers A-1.22 B+1.23 G+1.26! x1.28
  WorkloadAwarePreemption A-1.36
  WorkloadWithJob A-1.36
  ZeroLimitedNominalConcurrencyShares B-1.29 G+1.30! x1.32
`;

let parsed: ReadonlyMap<string, GateHistory> | undefined;

/** Returns the histories by name. They are parsed at first use, because most starts need none. */
export function knownGates(): ReadonlyMap<string, GateHistory> {
  parsed ??= new Map(
    LINES.trim()
      .split("\n")
      .map((line) => {
        const [name = "", ...changes] = line.trim().split(" ");
        return [name, parseGateHistory(changes)];
      }),
  );
  return parsed;
}
