// Names in HTTP and of the process: headers, media types, fixed objects, health checks, programs. A row: the name of
// this product, the name of Kubernetes.

import type { IdentifierTable } from "./identifier-table";

export const MEDIA_TYPES = {
  protobuf: ["application/vnd.orch.protobuf", "application/vnd.kubernetes.protobuf"],
  protobufWatch: ["application/vnd.orch.protobuf;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"],
  table: ["application/json;as=Table;v=v1;g=meta.orch.io", "application/json;as=Table;v=v1;g=meta.k8s.io"],
  partialMetadata: [
    "application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  ],
  partialMetadataList: [
    "application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  ],
  aggregatedDiscovery: [
    "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  ],
} as const satisfies IdentifierTable;

export const HEADERS = {
  flowSchemaUid: ["X-Orch-PF-FlowSchema-UID", "X-Kubernetes-PF-FlowSchema-UID"],
  priorityLevelUid: ["X-Orch-PF-PriorityLevel-UID", "X-Kubernetes-PF-PriorityLevel-UID"],
  peerProxied: ["x-orch-peer-proxied", "x-kubernetes-peer-proxied"],
  orchctlCommand: ["Orchctl-Command", "Kubectl-Command"],
  orchctlSession: ["Orchctl-Session", "Kubectl-Session"],
} as const satisfies IdentifierTable;

export const SUBPROTOCOLS = {
  channel: ["channel.orch.io", "channel.k8s.io"],
  v2Channel: ["v2.channel.orch.io", "v2.channel.k8s.io"],
  v3Channel: ["v3.channel.orch.io", "v3.channel.k8s.io"],
  v4Channel: ["v4.channel.orch.io", "v4.channel.k8s.io"],
  v5Channel: ["v5.channel.orch.io", "v5.channel.k8s.io"],
  base64Channel: ["base64.channel.orch.io", "base64.channel.k8s.io"],
  v4Base64Channel: ["v4.base64.channel.orch.io", "v4.base64.channel.k8s.io"],
  binary: ["binary.orch.io", "binary.k8s.io"],
  base64Binary: ["base64.binary.orch.io", "base64.binary.k8s.io"],
  portforward: ["portforward.orch.io", "portforward.k8s.io"],
  spdyPortforward: ["SPDY/3.1+portforward.orch.io", "SPDY/3.1+portforward.k8s.io"],
  base64urlBearerAuthorization: ["base64url.bearer.authorization.orch.io.", "base64url.bearer.authorization.k8s.io."],
} as const satisfies IdentifierTable;

export const NAMESPACES = {
  system: ["orch-system", "kube-system"],
  public: ["orch-public", "kube-public"],
  nodeLease: ["orch-node-lease", "kube-node-lease"],
} as const satisfies IdentifierTable;

export const OBJECT_NAMES = {
  staticConfigurationEnd: [".static.orch.io", ".static.k8s.io"],
  product: ["orch", "kubernetes"],
  rootCaCrt: ["orch-root-ca.crt", "kube-root-ca.crt"],
  controllerManager: ["orch-controller-manager", "kube-controller-manager"],
  scheduler: ["orch-scheduler", "kube-scheduler"],
  apiserver: ["orch-apiserver-", "kube-apiserver-"],
  apiserverLegacyServiceAccountTokenTracking: [
    "orch-apiserver-legacy-service-account-token-tracking",
    "kube-apiserver-legacy-service-account-token-tracking",
  ],
  apiAccess: ["orch-api-access-", "kube-api-access-"],
  dns: ["orch-dns", "kube-dns"],
  staticSuffix: [".static.orch.io", ".static.k8s.io"],
} as const satisfies IdentifierTable;

export const DNS_NAMES = {
  product: ["orch", "kubernetes"],
  default: ["orch.default", "kubernetes.default"],
  defaultSvc: ["orch.default.svc", "kubernetes.default.svc"],
  defaultSvcClusterLocal: ["orch.default.svc.cluster.local", "kubernetes.default.svc.cluster.local"],
} as const satisfies IdentifierTable;

export const METRICS_NAMES = {
  buildInfo: ["orch_build_info", "kubernetes_build_info"],
  featureEnabled: ["orch_feature_enabled", "kubernetes_feature_enabled"],
  healthcheck: ["orch_healthcheck", "kubernetes_healthcheck"],
  healthchecksTotal: ["orch_healthchecks_total", "kubernetes_healthchecks_total"],
} as const satisfies IdentifierTable;

export const STORED_MARKS = {
  encrypted: ["orch:enc:", "k8s:enc:"],
} as const satisfies IdentifierTable;

export const HEALTH_CHECKS = {
  store: ["store", "etcd"],
  poststarthookStartOrchApiserverAdmissionInitializer: [
    "poststarthook/start-orch-apiserver-admission-initializer",
    "poststarthook/start-kube-apiserver-admission-initializer",
  ],
  poststarthookStartOrchAggregatorInformers: [
    "poststarthook/start-orch-aggregator-informers",
    "poststarthook/start-kube-aggregator-informers",
  ],
  poststarthookOrchApiserverAutoregistration: [
    "poststarthook/orch-apiserver-autoregistration",
    "poststarthook/kube-apiserver-autoregistration",
  ],
  poststarthookStartOrchApiserverCoordinatedLeaderElectionController: [
    "poststarthook/start-orch-apiserver-coordinated-leader-election-controller",
    "poststarthook/start-kube-apiserver-coordinated-leader-election-controller",
  ],
  poststarthookStartOrchApiserverIdentityLeaseController: [
    "poststarthook/start-orch-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
  ],
  poststarthookStartOrchApiserverIdentityLeaseGarbageCollector: [
    "poststarthook/start-orch-apiserver-identity-lease-garbage-collector",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
  ],
  poststarthookStartOrchServiceCidrController: [
    "poststarthook/start-orch-service-cidr-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
  ],
} as const satisfies IdentifierTable;

export const MOUNT_PATHS = {
  varRunSecretsServiceaccount: [
    "/var/run/secrets/orch.io/serviceaccount",
    "/var/run/secrets/kubernetes.io/serviceaccount",
  ],
} as const satisfies IdentifierTable;

export const ENVIRONMENT = {
  execInfo: ["ORCH_EXEC_INFO", "KUBERNETES_EXEC_INFO"],
  serviceHost: ["ORCH_SERVICE_HOST", "KUBERNETES_SERVICE_HOST"],
  servicePort: ["ORCH_SERVICE_PORT", "KUBERNETES_SERVICE_PORT"],
  master: ["ORCH_MASTER", "KUBERNETES_MASTER"],
  orchconfig: ["ORCHCONFIG", "KUBECONFIG"],
  orchcachedir: ["ORCHCACHEDIR", "KUBECACHEDIR"],
  orchrc: ["ORCHRC", "KUBERC"],
  orchctlOrchrc: ["ORCHCTL_ORCHRC", "KUBECTL_KUBERC"],
  editor: ["ORCH_EDITOR", "KUBE_EDITOR"],
  orchctlExternalDiff: ["ORCHCTL_EXTERNAL_DIFF", "KUBECTL_EXTERNAL_DIFF"],
  orchctlApplyset: ["ORCHCTL_APPLYSET", "KUBECTL_APPLYSET"],
  orchctlRemoteCommandWebsockets: ["ORCHCTL_REMOTE_COMMAND_WEBSOCKETS", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS"],
  orchctlPortForwardWebsockets: ["ORCHCTL_PORT_FORWARD_WEBSOCKETS", "KUBECTL_PORT_FORWARD_WEBSOCKETS"],
  clientBackoffBase: ["ORCH_CLIENT_BACKOFF_BASE", "KUBE_CLIENT_BACKOFF_BASE"],
  clientBackoffDuration: ["ORCH_CLIENT_BACKOFF_DURATION", "KUBE_CLIENT_BACKOFF_DURATION"],
  feature: ["ORCH_FEATURE_", "KUBE_FEATURE_"],
  apiserverServeRemovedApisForOneRelease: [
    "ORCH_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE",
    "KUBE_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE",
  ],
  apiserverStrictRemovedApiHandlingInAlpha: [
    "ORCH_APISERVER_STRICT_REMOVED_API_HANDLING_IN_ALPHA",
    "KUBE_APISERVER_STRICT_REMOVED_API_HANDLING_IN_ALPHA",
  ],
} as const satisfies IdentifierTable;

export const FLAGS = {
  apiQps: ["--orch-api-qps", "--kube-api-qps"],
  apiBurst: ["--orch-api-burst", "--kube-api-burst"],
  apiContentType: ["--orch-api-content-type", "--kube-api-content-type"],
  serviceNodePort: ["--orch-service-node-port", "--kubernetes-service-node-port"],
  nodeagentCertificateAuthority: ["--nodeagent-certificate-authority", "--kubelet-certificate-authority"],
  nodeagentClientCertificate: ["--nodeagent-client-certificate", "--kubelet-client-certificate"],
  nodeagentClientKey: ["--nodeagent-client-key", "--kubelet-client-key"],
  nodeagentHttps: ["--nodeagent-https", "--kubelet-https"],
  nodeagentPort: ["--nodeagent-port", "--kubelet-port"],
  nodeagentReadOnlyPort: ["--nodeagent-read-only-port", "--kubelet-read-only-port"],
  nodeagentPreferredAddressTypes: ["--nodeagent-preferred-address-types", "--kubelet-preferred-address-types"],
  nodeagentTimeout: ["--nodeagent-timeout", "--kubelet-timeout"],
  clusterSigningAgentClientCertFile: [
    "--cluster-signing-agent-client-cert-file",
    "--cluster-signing-kubelet-client-cert-file",
  ],
  clusterSigningAgentClientKeyFile: [
    "--cluster-signing-agent-client-key-file",
    "--cluster-signing-kubelet-client-key-file",
  ],
  clusterSigningAgentServingCertFile: [
    "--cluster-signing-agent-serving-cert-file",
    "--cluster-signing-kubelet-serving-cert-file",
  ],
  clusterSigningAgentServingKeyFile: [
    "--cluster-signing-agent-serving-key-file",
    "--cluster-signing-kubelet-serving-key-file",
  ],
  clusterSigningApiserverClientCertFile: [
    "--cluster-signing-apiserver-client-cert-file",
    "--cluster-signing-kube-apiserver-client-cert-file",
  ],
  clusterSigningApiserverClientKeyFile: [
    "--cluster-signing-apiserver-client-key-file",
    "--cluster-signing-kube-apiserver-client-key-file",
  ],
} as const satisfies IdentifierTable;

export const PROGRAMS = {
  apiserver: ["orch-apiserver", "kube-apiserver"],
  controllerManager: ["orch-controller-manager", "kube-controller-manager"],
  scheduler: ["orch-scheduler", "kube-scheduler"],
  orchctl: ["orchctl", "kubectl"],
  orchctlPrefix: ["orchctl-", "kubectl-"],
} as const satisfies IdentifierTable;

export const HOST_PATHS = {
  home: ["~/.orch", "~/.kube"],
  homeConfig: ["~/.orch/config", "~/.kube/config"],
  homeCacheDiscovery: ["~/.orch/cache/discovery", "~/.kube/cache/discovery"],
  homeCacheHttp: ["~/.orch/cache/http", "~/.kube/cache/http"],
  homeOrchrc: ["~/.orch/orchrc", "~/.kube/kuberc"],
  varRunOrch: ["/var/run/orch", "/var/run/kubernetes"],
  usrLibexecOrchNodeagentPluginsVolumeExec: [
    "/usr/libexec/orch/nodeagent-plugins/volume/exec/",
    "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
  ],
} as const satisfies IdentifierTable;
