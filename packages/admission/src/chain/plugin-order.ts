// The fixed order in which plugins run, independent of flags, and the plugins that are enabled by default. Source:
// pkg/kubeapiserver/options/plugins.go.

export interface PluginPosition {
  readonly name: string;
  readonly onByDefault: boolean | { readonly since: string; readonly until?: string };
  /** Releases that have the plugin. Absent: all. */
  readonly lifecycle?: { readonly since?: string; readonly until?: string };
}

const ON = true;
const OFF = false;

export const PLUGIN_ORDER: readonly PluginPosition[] = [
  { name: "AlwaysAdmit", onByDefault: OFF },
  { name: "NamespaceAutoProvision", onByDefault: OFF },
  { name: "NamespaceLifecycle", onByDefault: ON },
  { name: "NamespaceExists", onByDefault: OFF },
  { name: "SecurityContextDeny", onByDefault: OFF, lifecycle: { until: "1.29" } },
  { name: "LimitPodHardAntiAffinityTopology", onByDefault: OFF },
  { name: "LimitRanger", onByDefault: ON },
  { name: "ServiceAccount", onByDefault: ON },
  { name: "NodeRestriction", onByDefault: OFF },
  { name: "TaintNodesByCondition", onByDefault: ON },
  { name: "AlwaysPullImages", onByDefault: OFF },
  { name: "ImagePolicyWebhook", onByDefault: OFF },
  { name: "PodSecurity", onByDefault: { since: "1.23" }, lifecycle: { since: "1.22" } },
  { name: "PodSecurityPolicy", onByDefault: OFF, lifecycle: { until: "1.24" } },
  { name: "PodNodeSelector", onByDefault: OFF },
  { name: "Priority", onByDefault: ON },
  { name: "DefaultTolerationSeconds", onByDefault: ON },
  { name: "PodTolerationRestriction", onByDefault: OFF },
  { name: "DenyEscalatingExec", onByDefault: OFF, lifecycle: { until: "1.23" } },
  { name: "DenyExecOnPrivileged", onByDefault: OFF, lifecycle: { until: "1.23" } },
  { name: "EventRateLimit", onByDefault: OFF },
  { name: "ExtendedResourceToleration", onByDefault: OFF },
  { name: "DefaultStorageClass", onByDefault: ON },
  { name: "StorageObjectInUseProtection", onByDefault: ON },
  { name: "PodGroupProtection", onByDefault: ON, lifecycle: { since: "1.36" } },
  { name: "OwnerReferencesPermissionEnforcement", onByDefault: OFF },
  { name: "PersistentVolumeClaimResize", onByDefault: ON },
  { name: "RuntimeClass", onByDefault: ON },
  { name: "CertificateApproval", onByDefault: ON },
  { name: "CertificateSigning", onByDefault: ON },
  { name: "ClusterTrustBundleAttest", onByDefault: ON, lifecycle: { since: "1.26" } },
  { name: "CertificateSubjectRestriction", onByDefault: ON },
  { name: "DefaultIngressClass", onByDefault: ON },
  { name: "DenyServiceExternalIPs", onByDefault: OFF, lifecycle: { since: "1.21" } },
  { name: "PodTopologyLabels", onByDefault: ON, lifecycle: { since: "1.33" } },
  { name: "PodGroupWorkloadExists", onByDefault: ON, lifecycle: { since: "1.36" } },
  { name: "NodeDeclaredFeatureValidator", onByDefault: ON, lifecycle: { since: "1.35" } },
  { name: "JobValidation", onByDefault: ON, lifecycle: { since: "1.36" } },
  { name: "PodResizeValidator", onByDefault: ON, lifecycle: { since: "1.36" } },
  { name: "MutatingAdmissionPolicy", onByDefault: ON },
  { name: "MutatingAdmissionWebhook", onByDefault: ON },
  { name: "ValidatingAdmissionPolicy", onByDefault: ON },
  { name: "ValidatingAdmissionWebhook", onByDefault: ON },
  { name: "ResourceQuota", onByDefault: ON },
  { name: "AlwaysDeny", onByDefault: OFF },
];
