// API groups and published names of schemas. A row: the name of this product, the name of Kubernetes.

import type { IdentifierTable } from "./identifier-table";

export const GROUPS = {
  admission: ["admission.orch.io", "admission.k8s.io"],
  admissionregistration: ["admissionregistration.orch.io", "admissionregistration.k8s.io"],
  apiextensions: ["apiextensions.orch.io", "apiextensions.k8s.io"],
  apiregistration: ["apiregistration.orch.io", "apiregistration.k8s.io"],
  authentication: ["authentication.orch.io", "authentication.k8s.io"],
  authorization: ["authorization.orch.io", "authorization.k8s.io"],
  rbac: ["rbac.authorization.orch.io", "rbac.authorization.k8s.io"],
  certificates: ["certificates.orch.io", "certificates.k8s.io"],
  coordination: ["coordination.orch.io", "coordination.k8s.io"],
  discovery: ["discovery.orch.io", "discovery.k8s.io"],
  events: ["events.orch.io", "events.k8s.io"],
  flowcontrol: ["flowcontrol.apiserver.orch.io", "flowcontrol.apiserver.k8s.io"],
  internal: ["internal.apiserver.orch.io", "internal.apiserver.k8s.io"],
  networking: ["networking.orch.io", "networking.k8s.io"],
  node: ["node.orch.io", "node.k8s.io"],
  scheduling: ["scheduling.orch.io", "scheduling.k8s.io"],
  storage: ["storage.orch.io", "storage.k8s.io"],
  imagepolicy: ["imagepolicy.orch.io", "imagepolicy.k8s.io"],
  meta: ["meta.orch.io", "meta.k8s.io"],
  resource: ["resource.orch.io", "resource.k8s.io"],
  storagemigration: ["storagemigration.orch.io", "storagemigration.k8s.io"],
  apidiscovery: ["apidiscovery.orch.io", "apidiscovery.k8s.io"],
  lifecycle: ["lifecycle.orch.io", "lifecycle.k8s.io"],
  metrics: ["metrics.orch.io", "metrics.k8s.io"],
  customMetrics: ["custom.metrics.orch.io", "custom.metrics.k8s.io"],
  externalMetrics: ["external.metrics.orch.io", "external.metrics.k8s.io"],
  snapshotStorage: ["snapshot.storage.orch.io", "snapshot.storage.k8s.io"],
  abacAuthorization: ["abac.authorization.orch.io", "abac.authorization.kubernetes.io"],
  clientAuthentication: ["client.authentication.orch.io", "client.authentication.k8s.io"],
  audit: ["audit.orch.io", "audit.k8s.io"],
  apiserverConfig: ["apiserver.config.orch.io", "apiserver.config.k8s.io"],
  apiserver: ["apiserver.orch.io", "apiserver.k8s.io"],
  eventratelimitAdmission: ["eventratelimit.admission.orch.io", "eventratelimit.admission.k8s.io"],
  resourcequotaAdmission: ["resourcequota.admission.orch.io", "resourcequota.admission.k8s.io"],
  podtolerationrestrictionAdmission: [
    "podtolerationrestriction.admission.orch.io",
    "podtolerationrestriction.admission.k8s.io",
  ],
  podSecurityAdmissionConfig: ["pod-security.admission.config.orch.io", "pod-security.admission.config.k8s.io"],
  controllermanagerConfig: ["controllermanager.config.orch.io", "controllermanager.config.k8s.io"],
  orchcontrollermanagerConfig: ["orchcontrollermanager.config.orch.io", "kubecontrollermanager.config.k8s.io"],
  orchschedulerConfig: ["orchscheduler.config.orch.io", "kubescheduler.config.k8s.io"],
  orchproxyConfig: ["orchproxy.config.orch.io", "kubeproxy.config.k8s.io"],
  nodeagentConfig: ["nodeagent.config.orch.io", "kubelet.config.k8s.io"],
  credentialproviderNodeagent: ["credentialprovider.nodeagent.orch.io", "credentialprovider.kubelet.k8s.io"],
  orchctlConfig: ["orchctl.config.orch.io", "kubectl.config.k8s.io"],
  config: ["config.orch.io", "config.k8s.io"],
} as const satisfies IdentifierTable;

export const OPENAPI_MODEL_PREFIXES = {
  api: ["io.orch.api.", "io.k8s.api."],
  apimachinery: ["io.orch.apimachinery.", "io.k8s.apimachinery."],
  apiextensionsApiserver: ["io.orch.apiextensions-apiserver.", "io.k8s.apiextensions-apiserver."],
  aggregator: ["io.orch.orch-aggregator.", "io.k8s.kube-aggregator."],
  apiserver: ["io.orch.apiserver.", "io.k8s.apiserver."],
  metrics: ["io.orch.metrics.", "io.k8s.metrics."],
} as const satisfies IdentifierTable;

export const OPENAPI_TEXT = {
  product: ["Orch", "Kubernetes"],
} as const satisfies IdentifierTable;

export const PROTOBUF_PACKAGE_PREFIXES = {
  api: ["orch.io.api.", "k8s.io.api."],
  apimachinery: ["orch.io.apimachinery.", "k8s.io.apimachinery."],
  apiextensionsApiserver: ["orch.io.apiextensions_apiserver.", "k8s.io.apiextensions_apiserver."],
  aggregator: ["orch.io.orch_aggregator.", "k8s.io.kube_aggregator."],
} as const satisfies IdentifierTable;

export const SCHEMA_EXTENSIONS = {
  groupVersionKind: ["x-orch-group-version-kind", "x-kubernetes-group-version-kind"],
  action: ["x-orch-action", "x-kubernetes-action"],
  listType: ["x-orch-list-type", "x-kubernetes-list-type"],
  listMapKeys: ["x-orch-list-map-keys", "x-kubernetes-list-map-keys"],
  mapType: ["x-orch-map-type", "x-kubernetes-map-type"],
  patchStrategy: ["x-orch-patch-strategy", "x-kubernetes-patch-strategy"],
  patchMergeKey: ["x-orch-patch-merge-key", "x-kubernetes-patch-merge-key"],
  unions: ["x-orch-unions", "x-kubernetes-unions"],
  embeddedResource: ["x-orch-embedded-resource", "x-kubernetes-embedded-resource"],
  intOrString: ["x-orch-int-or-string", "x-kubernetes-int-or-string"],
  preserveUnknownFields: ["x-orch-preserve-unknown-fields", "x-kubernetes-preserve-unknown-fields"],
  printColumns: ["x-orch-print-columns", "x-kubernetes-print-columns"],
  patchMergeStrategy: ["x-orch-patch-merge-strategy", "x-kubernetes-patch-merge-strategy"],
  validations: ["x-orch-validations", "x-kubernetes-validations"],
  selectableFields: ["x-orch-selectable-fields", "x-kubernetes-selectable-fields"],
} as const satisfies IdentifierTable;

export const SCHEMA_PROTO_NAMES = {
  preserveUnknownFields: ["xOrchPreserveUnknownFields", "xKubernetesPreserveUnknownFields"],
  embeddedResource: ["xOrchEmbeddedResource", "xKubernetesEmbeddedResource"],
  intOrString: ["xOrchIntOrString", "xKubernetesIntOrString"],
  listMapKeys: ["xOrchListMapKeys", "xKubernetesListMapKeys"],
  listType: ["xOrchListType", "xKubernetesListType"],
  mapType: ["xOrchMapType", "xKubernetesMapType"],
  validations: ["xOrchValidations", "xKubernetesValidations"],
} as const satisfies IdentifierTable;

export const SCHEMA_FORMATS = {
  shortName: ["orch-short-name", "k8s-short-name"],
  longName: ["orch-long-name", "k8s-long-name"],
  longNameCaseless: ["orch-long-name-caseless", "k8s-long-name-caseless"],
  labelKey: ["orch-label-key", "k8s-label-key"],
  labelValue: ["orch-label-value", "k8s-label-value"],
  uuid: ["orch-uuid", "k8s-uuid"],
  pathSegmentName: ["orch-path-segment-name", "k8s-path-segment-name"],
  prefixedLabelKey: ["orch-prefixed-label-key", "k8s-prefixed-label-key"],
  extendedResourceName: ["orch-extended-resource-name", "k8s-extended-resource-name"],
  resourceFullyQualifiedName: ["orch-resource-fully-qualified-name", "k8s-resource-fully-qualified-name"],
  resourcePoolName: ["orch-resource-pool-name", "k8s-resource-pool-name"],
} as const satisfies IdentifierTable;
